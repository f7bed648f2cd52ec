#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

use std::path::Path;
use std::sync::Arc;

use isopod_workflow::{Aggregation, Class, Error, Group, Job, RowMask, Server};

/// Most items of one call.
pub const MOST_ITEMS: usize = 1 << 16;
/// Most bytes of one item.
pub const MOST_BYTES: usize = 1 << 26;
/// Most bytes of a path or a name.
pub const MOST_TEXT: usize = 1 << 12;
/// Most weights of a job.
pub const MOST_WEIGHTS: usize = 1 << 15;
/// Status of a call that panicked.
pub const PANIC: i32 = 6;
/// Bits behind the point of weights of real numbers.
const WEIGHT_BITS: u8 = 16;

/// Memory of the caller.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// Its first byte; may be null for no bytes.
    pub data: *const u8,
    /// Number of bytes.
    pub length: usize,
}

/// Memory that [`isopod_table_release`] takes back.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bytes {
    /// Its first byte.
    pub data: *mut u8,
    /// Number of bytes.
    pub length: usize,
}

/// A group and its aggregation.
pub struct OwnedGroup {
    aggregation: Aggregation,
    group: Group,
}

type Outcome<T> = Result<T, (i32, String)>;

fn refused(problem: &str) -> (i32, String) {
    (3, problem.to_owned())
}

fn of(error: Error) -> (i32, String) {
    let status = match Class::of(&error) {
        Some(Class::System) => 1,
        Some(Class::Authentication) => 4,
        Some(Class::Keys) => 5,
        _ => 3,
    };
    let first: &(dyn std::error::Error + 'static) = &error;
    let causes = std::iter::successors(Some(first), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    (status, texts.join(": "))
}

/// Runs a call, and gives bytes or a message to the caller.
fn call(out: *mut Bytes, work: impl FnOnce() -> Outcome<Vec<u8>>) -> i32 {
    if out.is_null() {
        return 3;
    }
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    let (status, bytes) = match done {
        Ok(Ok(bytes)) => (0, bytes),
        Ok(Err((status, message))) => (status, message.into_bytes()),
        Err(_) => (PANIC, b"the library has an error; this call ended".to_vec()),
    };
    let bytes = Box::leak(bytes.into_boxed_slice());
    // SAFETY: not null, and the caller's own for writing.
    unsafe {
        out.write(Bytes {
            data: bytes.as_mut_ptr(),
            length: bytes.len(),
        })
    };
    status
}

/// A list of the caller's.
///
/// # Safety
/// `data` is null, or `count` values that nobody changes before the call ends.
unsafe fn list<'a, T>(data: *const T, count: usize, most: usize, field: &str) -> Outcome<&'a [T]> {
    if count > most {
        return Err(refused(&format!(
            "{field}: {count}; allowed are 0 to {most}"
        )));
    }
    match (count, data.is_null() || !data.is_aligned()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(refused(&format!(
            "{field}: no memory; allowed is an address"
        ))),
        // SAFETY: as the caller says.
        (_, false) => Ok(unsafe { std::slice::from_raw_parts(data, count) }),
    }
}

/// # Safety
/// As [`list`].
unsafe fn text<'a>(slice: Slice, field: &str) -> Outcome<&'a str> {
    // SAFETY: as the caller says.
    let bytes = unsafe { list(slice.data, slice.length, MOST_TEXT, field) }?;
    std::str::from_utf8(bytes).map_err(|_| refused(&format!("{field}: allowed is UTF-8")))
}

fn job(name: &str, weights: &[f64], server: &Server) -> Outcome<Job> {
    match (name, weights) {
        ("column-sum", []) => Ok(Job::ColumnSum(RowMask::ALL)),
        ("column-mean", []) => Ok(Job::ColumnMean(RowMask::ALL)),
        ("sum", []) => Ok(Job::Sum),
        ("mean", []) => Ok(Job::Mean),
        ("weighted", []) => Ok(Job::Weighed(match server.set().is_exact() {
            true => 0,
            false => WEIGHT_BITS,
        })),
        ("dot", [_, ..]) if weights.iter().all(|weight| weight.is_finite()) => {
            Ok(Job::Dot(weights.to_vec()))
        }
        _ => Err(refused(
            "job: allowed are column-sum, column-mean, sum, mean and weighted without weights, and dot with finite ones",
        )),
    }
}

/// Opens an aggregation.
///
/// # Safety
/// Addresses and lengths are of memory that nobody changes before the call ends; `aggregation` and `out` are writable.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_open(
    keys: Slice,
    name: Slice,
    weights: *const f64,
    count: usize,
    aggregation: *mut *mut Aggregation,
    out: *mut Bytes,
) -> i32 {
    call(out, || {
        if aggregation.is_null() {
            return Err(refused("aggregation: no memory; allowed is an address"));
        }
        // SAFETY: as the caller says.
        let (keys, name) = unsafe { (text(keys, "keys")?, text(name, "job")?) };
        // SAFETY: as the caller says.
        let weights = unsafe { list(weights, count, MOST_WEIGHTS, "weights") }?;
        let server = Server::open(Path::new(keys)).map_err(of)?;
        let job = job(name, weights, &server)?;
        let opened = Aggregation::new(Arc::new(server), job).map_err(of)?;
        // SAFETY: not null, and the caller's own for writing.
        unsafe { aggregation.write(Box::into_raw(Box::new(opened))) };
        Ok(Vec::new())
    })
}

/// Makes an empty group.
///
/// # Safety
/// `aggregation` is null or of [`isopod_table_open`]; `group` and `out` are writable.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_group_new(
    aggregation: *const Aggregation,
    group: *mut *mut OwnedGroup,
    out: *mut Bytes,
) -> i32 {
    call(out, || {
        // SAFETY: null, or alive as the caller says.
        let aggregation =
            unsafe { aggregation.as_ref() }.ok_or_else(|| refused("aggregation: null"))?;
        if group.is_null() {
            return Err(refused("group: no memory; allowed is an address"));
        }
        let made = OwnedGroup {
            aggregation: aggregation.clone(),
            group: Group::default(),
        };
        // SAFETY: not null, and the caller's own for writing.
        unsafe { group.write(Box::into_raw(Box::new(made))) };
        Ok(Vec::new())
    })
}

/// Adds frames and partial states to a group.
///
/// # Safety
/// `group` is null or of [`isopod_table_group_new`], used by no other thread; addresses and lengths are of memory that nobody
/// changes before the call ends.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_fold(
    group: *mut OwnedGroup,
    items: *const Slice,
    weights: *const f64,
    count: usize,
    out: *mut Bytes,
) -> i32 {
    call(out, || {
        // SAFETY: null, or alive as the caller says.
        let group = unsafe { group.as_mut() }.ok_or_else(|| refused("group: null"))?;
        // SAFETY: as the caller says.
        let items = unsafe { list(items, count, MOST_ITEMS, "items") }?;
        let weights = match weights.is_null() {
            true => &[][..],
            // SAFETY: as the caller says.
            false => unsafe { list(weights, count, MOST_ITEMS, "weights") }?,
        };
        let mut pairs = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            // SAFETY: as the caller says.
            let bytes = unsafe { list(item.data, item.length, MOST_BYTES, "item") }?;
            pairs.push((bytes, weights.get(at).copied().unwrap_or(1.0)));
        }
        group
            .aggregation
            .fold(&mut group.group, pairs)
            .map_err(of)?;
        Ok(Vec::new())
    })
}

/// Seals a group as a partial state.
///
/// # Safety
/// `group` is null or of [`isopod_table_group_new`]; `out` is writable.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_state(group: *const OwnedGroup, out: *mut Bytes) -> i32 {
    call(out, || {
        // SAFETY: null, or alive as the caller says.
        let group = unsafe { group.as_ref() }.ok_or_else(|| refused("group: null"))?;
        let state = group.aggregation.state(&group.group).map_err(of)?;
        Ok(state.unwrap_or_default())
    })
}

/// Tells whether a partial state is of an aggregation's request.
///
/// # Safety
/// `aggregation` is null or of [`isopod_table_open`]; `state` is of memory that nobody changes before the call ends; `is_of` and
/// `out` are writable.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_is_of(
    aggregation: *const Aggregation,
    state: Slice,
    is_of: *mut i32,
    out: *mut Bytes,
) -> i32 {
    call(out, || {
        // SAFETY: null, or alive as the caller says.
        let aggregation =
            unsafe { aggregation.as_ref() }.ok_or_else(|| refused("aggregation: null"))?;
        if is_of.is_null() {
            return Err(refused("is_of: no memory; allowed is an address"));
        }
        // SAFETY: as the caller says.
        let state = unsafe { list(state.data, state.length, MOST_BYTES, "state") }?;
        let found = aggregation.is_of(state).map_err(of)?;
        // SAFETY: not null, and the caller's own for writing.
        unsafe { is_of.write(i32::from(found)) };
        Ok(Vec::new())
    })
}

/// Answers a partial state.
///
/// # Safety
/// `aggregation` is null or of [`isopod_table_open`]; `state` is of memory that nobody changes before the call ends.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_answer(
    aggregation: *const Aggregation,
    state: Slice,
    out: *mut Bytes,
) -> i32 {
    call(out, || {
        // SAFETY: null, or alive as the caller says.
        let aggregation =
            unsafe { aggregation.as_ref() }.ok_or_else(|| refused("aggregation: null"))?;
        // SAFETY: as the caller says.
        let state = unsafe { list(state.data, state.length, MOST_BYTES, "state") }?;
        let answers = aggregation.answers([state]).map_err(of)?;
        Ok(answers
            .into_iter()
            .flat_map(|answer| answer.items)
            .flatten()
            .collect())
    })
}

/// Releases what a call gave.
///
/// # Safety
/// `bytes` is what a call wrote, and is not used again.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_release(bytes: Bytes) {
    if !bytes.data.is_null() {
        let slice = std::ptr::slice_from_raw_parts_mut(bytes.data, bytes.length);
        // SAFETY: a leaked box of this length.
        drop(unsafe { Box::from_raw(slice) });
    }
}

/// Frees a group.
///
/// # Safety
/// `group` is null or of [`isopod_table_group_new`], and is not used again.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_group_free(group: *mut OwnedGroup) {
    if !group.is_null() {
        // SAFETY: a box, as the caller says.
        drop(unsafe { Box::from_raw(group) });
    }
}

/// Closes an aggregation; its groups stay usable, since each holds what it needs.
///
/// # Safety
/// `aggregation` is null or of [`isopod_table_open`], and is not used again.
#[no_mangle]
pub unsafe extern "C" fn isopod_table_close(aggregation: *mut Aggregation) {
    if !aggregation.is_null() {
        // SAFETY: a box, as the caller says.
        drop(unsafe { Box::from_raw(aggregation) });
    }
}
