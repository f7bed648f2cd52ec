//! Output of a command: text for people, or JSON.

use std::io::{self, Write};

use std::path::Path;

use anyhow::{Error, Result};
use serde::Serialize;
use serde_json::Value;

use crate::output::escaped;
use crate::output::new_file::is_standard_output;

/// One output in both forms.
pub struct Output {
    text: String,
    json: Value,
    refusal: Option<Error>,
    beside_data: bool,
}

impl Output {
    /// Text for people beside the same facts for programs.
    pub fn new(text: String, facts: &impl Serialize) -> Result<Self> {
        Ok(Self {
            text,
            json: serde_json::to_value(facts)?,
            refusal: None,
            beside_data: false,
        })
    }

    /// Adds text for people.
    pub fn followed_by(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Ends the command with this refusal, once the output is printed.
    pub fn refused(mut self, refusal: Option<Error>) -> Self {
        self.refusal = refusal;
        self
    }

    /// Leaves standard output to the data where they go there.
    pub fn beside(mut self, data: &Path) -> Self {
        self.beside_data |= is_standard_output(data);
        self
    }

    /// Prints one of the forms. A reader that closed the pipe is no error.
    pub fn print(self, json: bool) -> Result<()> {
        let text = if json {
            escaped::json(&format!("{:#}\n", self.json))
        } else {
            escaped::lines(&self.text)
        };
        let written = if self.beside_data {
            io::stderr().write_all(text.as_bytes())
        } else {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => self.refusal.map_or(Ok(()), Err),
        }
    }
}
