//! Progress on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use isopod_workflow::{Progress, Stage};

/// A bar per stage; hidden where standard error is not a terminal, and gone at the end.
#[derive(Default)]
pub struct Bars(Option<(Stage, ProgressBar)>);

impl Bars {
    /// Shows a report.
    pub fn show(&mut self, progress: Progress) {
        let Progress { stage, done, total } = progress;
        let (done, total) = (done as u64, total as u64);
        match &self.0 {
            Some((shown, bar)) if *shown == stage => {
                bar.set_length(total);
                bar.set_position(done);
            }
            _ => {
                self.clear();
                self.0 = Some((stage, bar(stage, total)));
            }
        }
    }

    fn clear(&mut self) {
        if let Some((_, bar)) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A bar of bytes that are read, with their rate and the time that is left.
pub fn reading(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes).with_message("reading");
    match ProgressStyle::with_template(
        "{msg:<24} {bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
    ) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A bar of steps whose message says which runs.
pub fn steps(count: u64) -> ProgressBar {
    let bar = ProgressBar::new(count);
    match ProgressStyle::with_template("{msg:<40} {bar:24} {pos}/{len} {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn bar(stage: Stage, steps: u64) -> ProgressBar {
    let name = match stage {
        Stage::MakingKeys => "making keys",
        Stage::Encrypting => "encrypting",
        Stage::Loading => "loading frames",
        Stage::Computing => "computing",
        Stage::Decrypting => "decrypting",
    };
    let bar = ProgressBar::new(steps).with_message(name);
    match ProgressStyle::with_template("{msg:<24} {bar:40} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
