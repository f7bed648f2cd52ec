//! Errors to messages and exit codes.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Error;
use isopod_keys::KeysError;
use isopod_wire::WireError;

/// Exit codes, as `isopod --help` lists them. 2 is clap's, for a wrong command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    System = 1,
    Input = 3,
    Authentication = 4,
    Keys = 5,
}

/// Prints the error with its causes on standard error and gives the exit code.
pub fn report(error: &Error, json: bool) -> ExitCode {
    let code = code(error);
    let text = if json {
        format!(
            "{:#}\n",
            serde_json::json!({ "error": format!("{error:#}"), "code": code as u8 })
        )
    } else {
        format!("error: {error:#}\n")
    };
    // Where standard error is closed, the exit code has to do.
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(code as u8)
}

fn code(error: &Error) -> Code {
    for cause in error.chain() {
        if let Some(WireError::Tag) = cause.downcast_ref() {
            return Code::Authentication;
        }
        if let Some(keys) = cause.downcast_ref::<KeysError>() {
            return keys_code(keys);
        }
        if cause.is::<io::Error>() {
            return Code::System;
        }
    }
    Code::Input
}

fn keys_code(error: &KeysError) -> Code {
    match error {
        KeysError::Entropy(_) | KeysError::File { .. } => Code::System,
        _ => Code::Keys,
    }
}

#[cfg(test)]
mod tests {
    use super::{code, Code};
    use anyhow::anyhow;
    use isopod_keys::KeysError;
    use isopod_wire::WireError;

    #[test]
    fn causes_choose_the_code() {
        assert_eq!(
            code(&anyhow!(WireError::Tag).context("frames.bin")),
            Code::Authentication
        );
        assert_eq!(
            code(&anyhow!(WireError::TrailingBytes { extra: 1 })),
            Code::Input
        );
        assert_eq!(code(&anyhow!(KeysError::Digest).context("key")), Code::Keys);
        assert_eq!(code(&anyhow!(std::io::Error::other("disk"))), Code::System);
    }
}
