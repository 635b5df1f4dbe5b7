//! Loader of the golden vectors.
