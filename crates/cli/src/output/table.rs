//! Tables for people: columns fit their longest cell, numbers stand to the right.

/// Lines of cells under a heading.
pub struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Self {
            rows: vec![columns.iter().map(ToString::to_string).collect()],
        }
    }

    /// Appends a row of as many cells as there are columns.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The text, a line per row.
    pub fn text(&self) -> String {
        let columns = self.rows[0].len();
        let widths: Vec<usize> = (0..columns).map(|at| self.width(at)).collect();
        self.rows.iter().map(|row| line(row, &widths)).collect()
    }

    fn width(&self, column: usize) -> usize {
        self.rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, &width)| {
        if cell.parse::<f64>().is_ok() {
            format!("{cell:>width$}")
        } else {
            format!("{cell:<width$}")
        }
    });
    format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
}

/// Names with values, both to the left.
pub fn list<N: AsRef<str>>(pairs: &[(N, String)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| (name.as_ref(), value));
    let width = pairs.clone().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let lines = pairs.map(|(name, value)| format!("{name:<width$}  {value}\n"));
    lines.collect()
}

/// Bytes as hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::TextTable;

    #[test]
    fn words_left_numbers_right() {
        let mut table = TextTable::new(&["name", "bytes"]);
        table.row(vec!["a".into(), "7".into()]);
        table.row(vec!["long name".into(), "123456".into()]);
        assert_eq!(
            table.text(),
            "name       bytes\na               7\nlong name  123456\n"
        );
    }
}
