//! Names and texts of others on a terminal: whatever would steer it is printed as an escape.

use std::path::Path;

/// A path in a text.
pub fn path(path: &Path) -> String {
    text(&path.to_string_lossy())
}

/// A text within a line, such as a file's name: line breaks are escaped too.
pub fn text(text: &str) -> String {
    escaped(text, |_| false, |c| c.escape_default().to_string())
}

/// Lines of a command's output; line breaks and tabs are its own.
pub fn lines(text: &str) -> String {
    escaped(text, own, |c| c.escape_default().to_string())
}

/// JSON, in which control characters beyond ASCII stand as they are unless they are escaped.
pub fn json(text: &str) -> String {
    escaped(text, own, |c| format!("\\u{:04x}", u32::from(c)))
}

fn own(c: char) -> bool {
    c == '\n' || c == '\t'
}

fn escaped(text: &str, keep: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> String {
    let each = text.chars().map(|c| match steers(c) && !keep(c) {
        true => escape(c),
        false => c.to_string(),
    });
    each.collect()
}

/// Control characters, and marks that change the direction or the line of what follows.
fn steers(c: char) -> bool {
    let marks = ['\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    c.is_control()
        || marks.contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::{json, lines, text};

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(text("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(lines("a\u{9b}31m\tb\r\n"), "a\\u{9b}31m\tb\\r\n");
        assert_eq!(
            json("{\"a\": \"\u{9b}\u{202e}\"}\n"),
            "{\"a\": \"\\u009b\\u202e\"}\n"
        );
        assert_eq!(text("Zähler 7 – 温度"), "Zähler 7 – 温度");
    }
}
