//! The packages that `dpcert` has adapters for.
//!
//! Adapters, their requirements and the list of them are files of this repository ([`catalogue`]); the program carries
//! them inside, and writes them where the virtual environments are ([`venv`]).

mod catalogue;
mod venv;

pub use catalogue::{Catalogue, Peer, text};
pub use venv::Cache;
