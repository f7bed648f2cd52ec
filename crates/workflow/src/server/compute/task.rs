//! The inputs of a computation beside the frames: the request, the server with its keys, and the receiver of progress reports.

use crate::progress::Report;
use crate::request::job::Request;
use crate::Server;

pub(crate) struct Task<'t, 'r> {
    pub request: &'t Request,
    pub server: &'t Server,
    pub report: &'t mut Report<'r>,
}
