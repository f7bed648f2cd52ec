//! Progress on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of `steps`; hidden where standard error is not a terminal.
pub fn bar(name: &'static str, steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps).with_message(name);
    match ProgressStyle::with_template("{msg:<24} {bar:40} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
