//! Numbers of devices on the command line: one, or a span of them.

use anyhow::{ensure, Result};

/// Most devices of one command.
const MOST: u128 = 1 << 20;

/// `7`, or `100-199`.
pub fn device_numbers(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| {
        let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let parsed = text.parse::<u64>().ok().filter(|_| all_digits);
        parsed.ok_or_else(|| {
            format!(
                "allowed is a number from 0 to {}, or a span such as 100-199",
                u64::MAX
            )
        })
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first <= last {
        return Ok((first, last));
    }
    Err("the span ends before it begins; allowed is first-last, such as 100-199".to_owned())
}

/// The numbers of spans, in order.
pub fn numbers(spans: &[(u64, u64)]) -> Result<Vec<u64>> {
    let sizes = spans
        .iter()
        .map(|(first, last)| u128::from(last - first) + 1);
    let count: u128 = sizes.sum();
    ensure!(
        count <= MOST,
        "ID: {count} devices; allowed are at most {MOST} at once"
    );
    Ok(spans
        .iter()
        .flat_map(|&(first, last)| first..=last)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{device_numbers, numbers};

    #[test]
    fn numbers_and_spans() {
        assert_eq!(device_numbers("7"), Ok((7, 7)));
        assert_eq!(device_numbers("0-18446744073709551615"), Ok((0, u64::MAX)));
        for other in [
            "",
            "-",
            "1-",
            "-1",
            "x",
            "18446744073709551616",
            "+1",
            "1-2-3",
        ] {
            let refused = device_numbers(other).err().unwrap_or_default();
            assert!(
                refused.contains("from 0 to 18446744073709551615"),
                "{other}: {refused}"
            );
        }
        assert!(device_numbers("3-2").is_err_and(|text| text.contains("ends before")));
        assert!(numbers(&[(0, u64::MAX)])
            .is_err_and(|error| error.to_string().starts_with("ID: 18446744073709551616")));
        assert!(numbers(&[(1, 3), (9, 9)]).is_ok_and(|all| all == [1, 2, 3, 9]));
    }
}
