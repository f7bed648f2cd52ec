//! The report: one page without references to anything outside, with the data inside.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::record::Run;

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");
const PLOT: &str = include_str!("../page/plot.js");
const SECTIONS: &str = include_str!("../page/sections.js");

/// Content of a page; sections without content do not appear.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Content {
    /// Runs, the first that of this machine.
    pub runs: Vec<Run>,
    /// The experiment of `bench/cost`: boards, links, operations and jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<serde_json::Value>,
    /// Peaks of clients on libraries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<serde_json::Value>,
    /// Advice for jobs on boards over links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<serde_json::Value>,
}

impl Content {
    /// Runs alone.
    pub fn of_runs(runs: Vec<Run>) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }
}

/// The page.
///
/// # Errors
/// Content that is not JSON, such as an infinite number.
pub fn html(content: &Content) -> Result<String> {
    // No text within a script may end it.
    let data = serde_json::to_string(content)?.replace('<', "\\u003c");
    let parts = [
        ("/* style */", STYLE),
        ("/* plot */", PLOT),
        ("/* sections */", SECTIONS),
        ("/* data */", data.as_str()),
    ];
    let filled = parts.iter().fold(PAGE.to_owned(), |page, (mark, text)| {
        page.replacen(mark, text, 1)
    });
    Ok(filled)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_loaded_from_outside_and_data_cannot_end_the_script() {
        let content = Content {
            memory: vec![serde_json::json!("</script><script>")],
            ..Content::default()
        };
        let page = html(&content).unwrap();
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org").count()
        );
        assert!(!page.contains("https://"));
        assert!(!page.contains("</script><script>\""));
        assert!(page.contains("\\u003c/script>"));
    }
}
