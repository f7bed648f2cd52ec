//! From typed errors to Python's exceptions; messages keep field and allowed range.

use std::error::Error as StdError;

use isopod_workflow::Class;
use pyo3::PyErr;

mod classes {
    #![allow(missing_docs, reason = "the macro writes no documentation")]
    pyo3::import_exception!(isopod.errors, AuthenticationError);
    pyo3::import_exception!(isopod.errors, HolderError);
    pyo3::import_exception!(isopod.errors, InputError);
    pyo3::import_exception!(isopod.errors, KeysError);
    pyo3::import_exception!(isopod.errors, StorageError);
    pyo3::import_exception!(isopod.errors, UnverifiedError);
}

use classes::{AuthenticationError, HolderError, KeysError, StorageError};
pub use classes::{InputError, UnverifiedError};

/// The exception of an error with its causes.
pub fn raised<E: Into<isopod_workflow::Error>>(error: E) -> PyErr {
    let error = error.into();
    let text = text(&error);
    if let isopod_workflow::Error::Unverified { .. } = error {
        return UnverifiedError::new_err(text);
    }
    if let Some(holder) = of_holder(&error) {
        return HolderError::new_err((text, holder.to_owned()));
    }
    let class = causes(&error).find_map(Class::of);
    match class {
        Some(Class::System) => StorageError::new_err(text),
        Some(Class::Authentication) => AuthenticationError::new_err(text),
        Some(Class::Keys) => KeysError::new_err(text),
        Some(Class::Input) | None => InputError::new_err(text),
    }
}

/// The name of the holder whose file or contribution is refused.
fn of_holder(error: &isopod_workflow::Error) -> Option<&str> {
    match error {
        isopod_workflow::Error::Holder { holder, .. } => Some(holder),
        isopod_workflow::Error::At { source, .. } => of_holder(source),
        _ => None,
    }
}

/// An error with its causes in one line.
pub fn text(error: &isopod_workflow::Error) -> String {
    let causes: Vec<_> = causes(error).map(ToString::to_string).collect();
    causes.join(": ")
}

fn causes(error: &isopod_workflow::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(Some(error as &(dyn StdError + 'static)), |&cause| {
        cause.source()
    })
}

/// A refused argument.
pub fn refused(field: &str, problem: impl std::fmt::Display) -> PyErr {
    InputError::new_err(format!("{field}: {problem}"))
}
