//! Nothing is compiled of this package.
