//! The separator of a table, found in its header: a comma, a semicolon or a tab, whichever stands between names.

use std::io::{Chain, Cursor, Read};

use anyhow::{ensure, Result};

const SEPARATORS: [(u8, &str); 3] = [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab")];
/// Most bytes of a header.
const MOST_BYTES: usize = 1 << 20;
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A source whose first bytes were read already.
pub type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads the header, and gives its separator and the whole source again. Names in double quotes may hold any separator.
pub fn detect<R: Read>(mut source: R) -> Result<(u8, Begun<R>)> {
    let (mut header, mut bytes) = (Header::default(), Vec::new());
    let mut chunk = [0; 4096];
    while !header.ended {
        let count = source.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        header.take(bytes.len(), &chunk[..count]);
        bytes.extend(&chunk[..count]);
        ensure!(
            header.ended || bytes.len() < MOST_BYTES,
            "header: too many bytes; allowed are at most {MOST_BYTES}"
        );
    }
    Ok((header.separator()?, Cursor::new(bytes).chain(source)))
}

/// The part of a header that was seen.
#[derive(Default)]
struct Header {
    found: [bool; SEPARATORS.len()],
    /// Inside of quotes.
    quoted: bool,
    /// A name has begun.
    begun: bool,
    /// The byte before was a quote that closed, or one of a pair.
    closed: bool,
    /// Something but line breaks was seen.
    any: bool,
    ended: bool,
}

impl Header {
    fn take(&mut self, at: usize, bytes: &[u8]) {
        for (place, &byte) in (at..).zip(bytes) {
            if self.ended {
                return;
            }
            let mark = MARK.get(place) == Some(&byte);
            if !mark {
                self.byte(byte);
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        let closed = std::mem::take(&mut self.closed);
        if self.quoted {
            self.quoted = byte != b'"';
            self.closed = !self.quoted;
            return;
        }
        let separator = SEPARATORS.iter().position(|(of, _)| *of == byte);
        match byte {
            b'\n' | b'\r' => self.ended = self.any,
            b'"' if !self.begun || closed => self.quoted = true,
            _ => {}
        }
        if let Some(at) = separator {
            self.found[at] = true;
        }
        self.any |= !matches!(byte, b'\n' | b'\r');
        self.begun = separator.is_none() && !matches!(byte, b'\n' | b'\r');
    }

    /// A comma where no separator was found: the table has one column.
    fn separator(&self) -> Result<u8> {
        let found = SEPARATORS.iter().zip(self.found);
        let found: Vec<_> = found
            .filter(|(_, found)| *found)
            .map(|(of, _)| of)
            .collect();
        if let [one, other, ..] = found[..] {
            anyhow::bail!(
                "header: {} and {} both stand between names; allowed is one of comma, semicolon and tab, so put names that hold \
                 another in double quotes",
                one.1,
                other.1
            );
        }
        Ok(found.first().map_or(b',', |(byte, _)| *byte))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Read;

    use super::detect;

    fn separator(text: &str) -> Result<char, String> {
        let (separator, mut source) = detect(text.as_bytes()).map_err(|error| error.to_string())?;
        let mut whole = String::new();
        source.read_to_string(&mut whole).unwrap();
        assert_eq!(whole, text);
        Ok(separator.into())
    }

    #[test]
    fn the_separator_of_the_header_counts() {
        for (text, expected) in [
            ("a,b\n1;2;3\n", ','),
            ("a;b\n1,5;2\n", ';'),
            ("a\tb\r\n1\t2\r\n", '\t'),
            ("one column\n1\n", ','),
            ("\n\r\na;b", ';'),
            ("\u{feff}\"a,x\";b\n", ';'),
            ("\"a;\"\"b;\"\"\tc\",d\n", ','),
            ("\"two\nlines;\",b\n", ','),
            ("5\" pipe;b\n", ';'),
            ("", ','),
        ] {
            assert_eq!(separator(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn two_separators_are_refused_by_name() {
        for (text, one, other) in [
            ("a,b;c\n", "comma", "semicolon"),
            ("a;b\tc\n", "semicolon", "tab"),
            ("a,\tb\n", "comma", "tab"),
        ] {
            let refused = separator(text).unwrap_err();
            assert!(
                refused.starts_with(&format!("header: {one} and {other} both")),
                "{refused}"
            );
        }
    }
}
