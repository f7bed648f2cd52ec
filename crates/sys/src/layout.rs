//! Layout of a structure, in the form that `tests/layout.rs` compares.

/// Layout of one structure.
#[derive(Debug, PartialEq)]
pub struct Structure {
    pub name: &'static str,
    pub size: usize,
    pub alignment: usize,
    pub members: &'static [Member],
}

/// Place of one member in a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub name: &'static str,
    pub offset: usize,
    pub size: usize,
}

/// Size of what a pointer points to.
pub(crate) const fn size_of_target<T>(_: *const T) -> usize {
    size_of::<T>()
}
