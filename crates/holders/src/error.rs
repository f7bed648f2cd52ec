//! Refusals of a holder's steps.

use isopod_device::DeviceError;
use isopod_keys::KeysError;
use isopod_owners::OwnersError;
use isopod_wire::WireError;
use thiserror::Error;

/// Result of every call of this crate.
pub type Result<T> = std::result::Result<T, HoldersError>;

/// The reason why a step was refused.
#[derive(Debug, Error)]
pub enum HoldersError {
    /// The wire format refuses it.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A key or its file was refused.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The device library refused.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Residues of another ring.
    #[error(transparent)]
    Linear(#[from] isopod_linear::Error),
    /// The noise has no room, or contributions do not fit.
    #[error(transparent)]
    Owners(#[from] OwnersError),
    /// A file that another holder sent does not fit.
    #[error("{holder}: {problem}")]
    Holder {
        /// Name of the holder.
        holder: String,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A parameter of the call is out of range, or the invitation does not allow it.
    #[error("{field}: {problem}")]
    Parameter {
        /// Name of the parameter.
        field: &'static str,
        /// The problem, and the allowed values.
        problem: String,
    },
    /// A file that was received.
    #[error("{place}")]
    At {
        /// Its place.
        place: String,
        /// Its error.
        source: Box<HoldersError>,
    },
}

impl HoldersError {
    /// The name of the holder whose file or contribution is refused.
    pub fn of_holder(&self) -> Option<&str> {
        match self {
            Self::Holder { holder, .. } => Some(holder),
            Self::At { source, .. } => source.of_holder(),
            _ => None,
        }
    }

    pub(crate) fn holder(name: &str, problem: String) -> Self {
        let holder = name.to_owned();
        Self::Holder { holder, problem }
    }

    pub(crate) fn parameter(field: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Parameter { field, problem }
    }

    pub(crate) fn at(self, place: &str) -> Self {
        Self::At {
            place: place.to_owned(),
            source: Box::new(self),
        }
    }
}
