//! The well-known methods, on the same points and the same graph, so that a user need not take our word for anything.
//! Each is also a start of a fit.

pub mod gplvm;
