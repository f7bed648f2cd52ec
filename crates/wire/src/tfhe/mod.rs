//! TFHE on the wire: frames, results, server keys and key blobs (`spec/wire.md`, sections 5 to 9).

mod blob;
pub(crate) mod frame;
mod result;
mod schema;
mod server_keys;
mod value_type;

pub use blob::{TfheBlob, TfheBlobKind};
pub use frame::{TfheFrame, TfheHeader, TfheSuite};
pub use result::TfheResult;
pub use schema::{Run, Schema};
pub use server_keys::TfheServerKeys;
pub use value_type::ValueType;
