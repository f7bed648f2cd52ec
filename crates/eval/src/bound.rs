//! Errors in few digits: bounds, hence rounded up.

/// The least number of so many digits behind the point of its mantissa that is no less than a bound.
pub fn rounded_up(bound: f64, digits: usize) -> String {
    let nearest = format!("{bound:.digits$e}");
    if !is_below(&nearest, bound) {
        return nearest;
    }
    let unit = 0.1f64.powi(digits as i32);
    let Some((mantissa, exponent)) = nearest.split_once('e') else {
        return nearest;
    };
    let next = mantissa.parse().unwrap_or(10.0) + unit;
    match next < 10.0 - unit / 2.0 {
        true => format!("{next:.digits$}e{exponent}"),
        false => format!("{:.digits$}e{}", 1.0, exponent.parse().unwrap_or(0) + 1),
    }
}

fn is_below(shown: &str, bound: f64) -> bool {
    shown.parse::<f64>().is_ok_and(|shown| shown < bound)
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn what_is_shown_is_never_below_the_bound() {
        assert_eq!(rounded_up(1.0002e-3, 3), "1.001e-3");
        assert_eq!(rounded_up(1.001e-3, 3), "1.001e-3");
        assert_eq!(rounded_up(9.9991, 3), "1.000e1");
        assert_eq!(rounded_up(0.99999, 1), "1.0e0");
        assert_eq!(rounded_up(2.5e12, 0), "3e12");
        let mut bound = 1e-9;
        while bound < 1e9 {
            for digits in 0..5 {
                let shown: f64 = rounded_up(bound, digits).parse().unwrap_or(0.0);
                let unit = 10f64.powi(bound.log10().floor() as i32 - digits as i32);
                assert!(shown >= bound && shown < bound + 1.001 * unit, "{bound:e}");
            }
            bound *= 1.0371;
        }
    }
}
