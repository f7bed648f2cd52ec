//! From errors to messages and exit codes.

use std::error::Error as StdError;
use std::io::{self, Write};

use anyhow::Error;
use isopod_keys::KeysError;
use isopod_workflow::{Class, Error as WorkflowError};

use crate::output::escaped;

/// Items that did not enter; everything else did.
#[derive(Debug, thiserror::Error)]
#[error(
    "{count} item(s) were set aside in {file} with the reasons beside it; the first: {first}; all others entered. To try them \
     again, evaluate with --in {file}"
)]
pub struct SetAside {
    /// Number of items.
    pub count: u64,
    /// The file that holds them.
    pub file: String,
    /// Why the first did not enter.
    pub first: String,
}

/// Bytes at the end of a file that are not a whole item; everything else entered.
#[derive(Debug, thiserror::Error)]
#[error(
    "{file}: cut off within an item, whose {bytes} bytes from byte {position} on did not enter; everything else entered. If the \
     file is still being written, allowed is --growing"
)]
pub struct CutOff {
    /// The file.
    pub file: String,
    /// Length of what is there of the item.
    pub bytes: usize,
    /// Where it begins.
    pub position: u64,
}

/// Exit code of a command whose inputs did not enter as a whole.
const NOT_ALL: u8 = 6;

/// Exit codes, as `isopod --help` lists them. 2 is clap's, for a wrong command line.
fn code(error: &Error) -> u8 {
    if error.is::<SetAside>() || error.is::<CutOff>() {
        return NOT_ALL;
    }
    match error.chain().find_map(Class::of) {
        Some(Class::System) => 1,
        Some(Class::Authentication) => 4,
        Some(Class::Keys) => 5,
        Some(Class::Input) | None => 3,
    }
}

/// Prints the error with its causes on standard error and gives the exit code.
pub fn report(error: &Error, json: bool) -> u8 {
    let code = code(error);
    let text = error.chain().map(wording).collect::<Vec<_>>().join(": ");
    let text = if json {
        let facts = serde_json::json!({ "error": text, "code": code });
        escaped::json(&format!("{facts:#}\n"))
    } else {
        let degree = if code == NOT_ALL { "warning" } else { "error" };
        format!("{degree}: {}\n", escaped::text(&text))
    };
    // Where standard error is closed, the exit code has to do.
    let _ = io::stderr().write_all(text.as_bytes());
    code
}

/// An error with its causes in one line.
pub fn chain(error: &(dyn StdError + 'static)) -> String {
    let (mut text, mut cause) = (wording(error), error.source());
    while let Some(error) = cause {
        text = format!("{text}: {}", wording(error));
        cause = error.source();
    }
    text
}

/// Prints clap's message: help, or the argument that it refuses, with what would steer the terminal as escapes.
pub fn wrong_command_line(error: &clap::Error) -> u8 {
    let plain = error.render().to_string();
    let text = escaped::lines(&plain);
    if text == plain {
        error.exit();
    }
    // Where standard error is closed, the exit code has to do.
    let _ = io::stderr().write_all(text.as_bytes());
    2
}

/// The message of one cause; parameters of the workflow are named as options.
fn wording(cause: &(dyn StdError + 'static)) -> String {
    if let Some(KeysError::Used { .. } | KeysError::Exhausted { .. } | KeysError::Clock) =
        cause.downcast_ref()
    {
        return format!("--{cause}");
    }
    if let Some(KeysError::Repeated { .. }) = cause.downcast_ref() {
        return format!("{cause}, or give --again to compute over it on purpose");
    }
    if let Some(boxed) = cause.downcast_ref::<Box<WorkflowError>>() {
        return wording(boxed.as_ref());
    }
    if let Some(KeysError::NoPublicKey(_)) = cause.downcast_ref() {
        return format!("{cause} with --public-key FILE");
    }
    match cause.downcast_ref() {
        Some(WorkflowError::Keys(cause)) => wording(cause),
        Some(WorkflowError::Parameter { field, problem }) if !["keys", "values"].contains(field) => {
            format!("--{}: {problem}", field.replace('_', "-"))
        }
        Some(WorkflowError::SetWithoutJob { .. }) => format!("--for: {cause}"),
        Some(
            WorkflowError::OtherEvaluator { .. }
            | WorkflowError::JobOfPads { .. }
            | WorkflowError::WithoutTfhe { .. },
        ) => {
            format!("--job: {cause}")
        }
        Some(WorkflowError::TfheppSet { set, job }) => format!(
            "set: {set} is TFHEpp's ring; allowed with --job {job} are keys of tfhe-2048-tfhe-rs, and `isopod export-tfhepp` \
             writes frames of this set as TFHEpp's arrays"
        ),
        Some(WorkflowError::Bound { .. }) => format!("{cause}, or raise --bound-bits"),
        _ => cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{code, wording};
    use anyhow::anyhow;
    use isopod_keys::KeysError;
    use isopod_wire::WireError;
    use isopod_workflow::Error;

    #[test]
    fn causes_choose_the_code() {
        assert_eq!(code(&anyhow!(WireError::Tag).context("frames.bin")), 4);
        assert_eq!(code(&anyhow!(Error::from(WireError::Tag))), 4);
        assert_eq!(code(&anyhow!(WireError::TrailingBytes { extra: 1 })), 3);
        assert_eq!(code(&anyhow!(KeysError::Digest).context("key")), 5);
        assert_eq!(code(&anyhow!(Error::from(KeysError::Digest))), 5);
        assert_eq!(code(&anyhow!(std::io::Error::other("disk"))), 1);
    }

    #[test]
    fn parameters_are_options() {
        let error = Error::parameter("rows_per_frame", "0; allowed is 1");
        assert_eq!(wording(&error), "--rows-per-frame: 0; allowed is 1");
    }
}
