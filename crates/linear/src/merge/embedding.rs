//! Values in the slots of a large ring, from the coefficients of a message (`spec/merge.md`, section 6).

/// A complex number.
type Complex = [f64; 2];

/// The number of a half's coefficient with its bits reversed: its slot, of 2^`log2_slots`.
fn reversed(place: usize, log2_slots: u32) -> usize {
    match log2_slots {
        0 => place,
        bits => place.reverse_bits() >> (usize::BITS - bits),
    }
}

/// The value in each coefficient's slot: the real part for those of the first half, the imaginary part for those of the second.
/// `message` has N coefficients, a power of two from 4 on; otherwise there are no values.
pub fn values_of_slots(message: &[f64]) -> Vec<f64> {
    let degree = message.len();
    if degree < 4 || !degree.is_power_of_two() {
        return Vec::new();
    }
    let roots = roots(2 * degree);
    // m(root^(2t + 1)) is the transform of m_j root^j.
    let turned = message.iter().zip(&roots);
    let mut values: Vec<Complex> = turned.map(|(m, [re, im])| [m * re, m * im]).collect();
    transform(&mut values, &roots);
    let slots = degree / 2;
    let log2_slots = slots.trailing_zeros();
    let mut found = vec![0.0; degree];
    let mut exponent = 1;
    let mut at_slot = vec![[0.0; 2]; slots];
    for slot in &mut at_slot {
        *slot = values[(exponent - 1) / 2];
        exponent = exponent * 5 % (2 * degree);
    }
    for place in 0..slots {
        let [re, im] = at_slot[reversed(place, log2_slots)];
        (found[place], found[place + slots]) = (re, im);
    }
    found
}

/// Powers of the first complex root of 1 of this order.
fn roots(order: usize) -> Vec<Complex> {
    let angle = |power: usize| std::f64::consts::TAU * power as f64 / order as f64;
    let of = |power| {
        let (im, re) = angle(power).sin_cos();
        [re, im]
    };
    (0..order).map(of).collect()
}

/// Fourier transform of a power of two of numbers in place; `roots` are those of twice their number.
fn transform(values: &mut [Complex], roots: &[Complex]) {
    let count = values.len();
    let log2_count = count.trailing_zeros();
    for place in 0..count {
        let other = reversed(place, log2_count);
        if place < other {
            values.swap(place, other);
        }
    }
    let mut half = 1;
    while half < count {
        let step = count / half;
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (at, (low, high)) in low.iter_mut().zip(high).enumerate() {
                let [re, im] = roots[at * step];
                let turned = [high[0] * re - high[1] * im, high[0] * im + high[1] * re];
                *high = [low[0] - turned[0], low[1] - turned[1]];
                *low = [low[0] + turned[0], low[1] + turned[1]];
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m(root^exponent), term by term.
    fn evaluated(message: &[f64], exponent: usize) -> Complex {
        let order = 2 * message.len();
        let terms = message.iter().enumerate().map(|(power, m)| {
            let angle = std::f64::consts::TAU * (power * exponent % order) as f64 / order as f64;
            [m * angle.cos(), m * angle.sin()]
        });
        terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]])
    }

    #[test]
    fn values_are_those_at_powers_of_five() {
        for degree in [4usize, 16, 128] {
            let message: Vec<f64> = (0..degree)
                .map(|at| ((at * 37 + 11) % 101) as f64 / 50.0 - 1.0)
                .collect();
            let values = values_of_slots(&message);
            let (slots, mut exponent) = (degree / 2, 1);
            for slot in 0..slots {
                let [re, im] = evaluated(&message, exponent);
                let place = reversed(slot, slots.trailing_zeros());
                assert!((values[place] - re).abs() < 1e-12);
                assert!((values[place + slots] - im).abs() < 1e-12);
                exponent = exponent * 5 % (2 * degree);
            }
        }
    }

    /// `spec/model/test/test_merge.py` has these numbers, too.
    #[test]
    fn values_are_those_of_the_model() {
        let values = values_of_slots(&[1.0, -2.0, 3.0, 0.5, -1.0, 4.0, 0.0, 2.0]);
        let wanted = [
            -1.913589799763318,
            8.156230486882606,
            -2.824164977888788,
            0.5815242907695,
            5.278778239860434,
            -3.036137552741149,
            -4.843395789202546,
            -1.399244897916738,
        ];
        assert!(values
            .iter()
            .zip(wanted)
            .all(|(v, w)| (v - w).abs() < 1e-12));
    }

    #[test]
    fn the_first_coefficients_are_in_slots_of_reversed_bits() {
        // i in every slot is X^(N/2).
        let mut message = vec![0.0; 8];
        message[4] = 1.0;
        let values = values_of_slots(&message);
        let wanted = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        assert!(values
            .iter()
            .zip(wanted)
            .all(|(v, w)| (v - w).abs() < 1e-12));
        assert_eq!([0, 1, 2, 3].map(|place| reversed(place, 2)), [0, 2, 1, 3]);
        assert!(values_of_slots(&[1.0; 3]).is_empty() && values_of_slots(&[1.0; 2]).is_empty());
    }
}
