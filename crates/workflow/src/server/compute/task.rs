//! A request that is computed: by whom, and who hears of the progress.

use crate::progress::Report;
use crate::request::job::Request;
use crate::Server;

pub(crate) struct Task<'t, 'r> {
    pub request: &'t Request,
    pub server: &'t Server,
    pub report: &'t mut Report<'r>,
}
