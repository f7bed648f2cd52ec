//! Layout of a structure, in the form that `tests/layout.rs` compares.

/// Layout of one structure.
#[derive(Debug, PartialEq)]
pub struct Structure {
    pub name: &'static str,
    pub size: usize,
    pub alignment: usize,
    pub members: Vec<Member>,
}

/// Place of one member in a structure.
#[derive(Debug, PartialEq)]
pub struct Member {
    pub name: &'static str,
    pub offset: usize,
    pub size: usize,
}

/// Size of the member whose address the function gives.
pub(crate) fn size_of_member<S, M>(_: impl Fn(&S) -> *const M) -> usize {
    size_of::<M>()
}
