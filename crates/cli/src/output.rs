//! Output of a command: text for people, or JSON.

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// One output in both forms.
pub struct Output {
    text: String,
    json: Value,
}

impl Output {
    /// Text for people beside the same facts for programs.
    pub fn new(text: String, facts: &impl Serialize) -> Result<Self> {
        Ok(Self {
            text,
            json: serde_json::to_value(facts)?,
        })
    }

    /// Adds text for people.
    pub fn followed_by(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Prints one of the forms. A reader that closed the pipe is no error.
    pub fn print(&self, json: bool) -> Result<()> {
        let mut out = io::stdout().lock();
        let text = if json {
            format!("{:#}\n", self.json)
        } else {
            self.text.clone()
        };
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }
}
