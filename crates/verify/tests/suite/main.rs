//! Tests of linear tags at the owner.
#![allow(missing_docs, clippy::unwrap_used)]

mod columns;
mod forgeries;
mod known_answers;
mod support;
