//! The layout of a structure, as `tests/layout.rs` compares it.

/// One structure.
#[derive(Debug, PartialEq)]
pub struct Structure {
    pub name: &'static str,
    pub size: usize,
    pub alignment: usize,
    pub members: Vec<Member>,
}

/// One member of a structure.
#[derive(Debug, PartialEq)]
pub struct Member {
    pub name: &'static str,
    pub offset: usize,
    pub size: usize,
}

/// Size of the member to which a structure's address leads.
pub(crate) fn size_of_member<S, M>(_: impl Fn(&S) -> *const M) -> usize {
    size_of::<M>()
}
