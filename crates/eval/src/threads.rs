//! Independent steps in several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// A function that is called after each step with (done, total).
pub type Progress<'p> = dyn FnMut(usize, usize) + 'p;

/// Does the steps from 0 to `count` in threads, with progress, and gives their outcomes in order.
///
/// # Errors
/// The error of the first step that fails, which ends the work.
pub fn in_order<T: Send, E: Send>(
    count: usize,
    threads: usize,
    step: &(dyn Fn(usize) -> Result<T, E> + Sync),
    progress: &mut Progress<'_>,
) -> Result<Vec<T>, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut found: Vec<(usize, Result<T, E>)> = Vec::with_capacity(count);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.clamp(1, count.max(1)) {
            let (next, failed, sender) = (&next, &failed, sender.clone());
            scope.spawn(move || {
                while !failed.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let outcome = step(at);
                    failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    // The receiver is there until all threads ended.
                    let _ = sender.send((at, outcome));
                }
            });
        }
        drop(sender);
        for outcome in receiver {
            found.push(outcome);
            progress(found.len(), count);
        }
    });
    found.sort_unstable_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn outcomes_are_in_order_and_the_first_error_ends() {
        let square = |at: usize| -> Result<usize, usize> { Ok(at * at) };
        let mut seen = Vec::new();
        let squares = in_order(100, 3, &square, &mut |done, total| seen.push((done, total)));
        assert_eq!(squares, Ok((0..100).map(|at| at * at).collect()));
        assert_eq!(seen, (1..=100).map(|done| (done, 100)).collect::<Vec<_>>());
        let fails = |at: usize| if at == 7 { Err(at) } else { Ok(at) };
        assert_eq!(in_order(100, 1, &fails, &mut |_, _| {}), Err(7));
        assert_eq!(in_order(0, 2, &square, &mut |_, _| {}), Ok(Vec::new()));
    }
}
