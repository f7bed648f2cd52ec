//! The text format of Prometheus.

use std::fmt::Write;

use isopod_store::Durations;

/// A page of metrics.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// The text.
    pub fn text(self) -> String {
        self.0
    }

    /// Adds a number that only grows.
    pub fn counter(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, help, "counter", [("", value)]);
    }

    /// Adds a number that goes up and down.
    pub fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, help, "gauge", [("", value)]);
    }

    /// Adds numbers of one name that labels tell apart, such as `{field="tag"}`.
    pub fn family<L: AsRef<str>>(
        &mut self,
        name: &str,
        help: &str,
        kind: &str,
        values: impl IntoIterator<Item = (L, f64)>,
    ) {
        self.head(name, help, kind);
        for (labels, value) in values {
            self.line(name, labels.as_ref(), value);
        }
    }

    /// Adds histograms of one name that labels tell apart, such as `route="/v1/frames"`.
    pub fn histogram<'d>(
        &mut self,
        name: &str,
        help: &str,
        histograms: impl IntoIterator<Item = (String, &'d Durations)>,
    ) {
        self.head(name, help, "histogram");
        for (labels, durations) in histograms {
            let separator = if labels.is_empty() { "" } else { "," };
            let mut count = 0;
            for (bound, up_to) in durations.cumulated() {
                let bound = match bound.is_finite() {
                    true => bound.to_string(),
                    false => "+Inf".to_owned(),
                };
                let labels = format!("{{{labels}{separator}le=\"{bound}\"}}");
                self.line(&format!("{name}_bucket"), &labels, up_to as f64);
                count = up_to;
            }
            let labels = if labels.is_empty() {
                labels
            } else {
                format!("{{{labels}}}")
            };
            self.line(&format!("{name}_sum"), &labels, durations.seconds());
            self.line(&format!("{name}_count"), &labels, count as f64);
        }
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}.\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: f64) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_histogram_counts_up_to_infinity() {
        let durations = Durations::default();
        durations.add(Duration::from_millis(3));
        durations.add(Duration::from_secs(1000));
        let mut page = Page::default();
        page.histogram(
            "a_seconds",
            "Times",
            [
                (String::new(), &durations),
                ("b=\"c\"".to_owned(), &durations),
            ],
        );
        let text = page.text();
        for line in [
            "# TYPE a_seconds histogram",
            "a_seconds_bucket{le=\"0.0025\"} 0",
            "a_seconds_bucket{le=\"0.005\"} 1",
            "a_seconds_bucket{b=\"c\",le=\"+Inf\"} 2",
            "a_seconds_sum 1000.003",
            "a_seconds_count{b=\"c\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn large_numbers_are_written_out() {
        let mut page = Page::default();
        page.gauge("a", "Number", 1e18);
        assert!(page.text().ends_with("a 1000000000000000000\n"));
    }
}
