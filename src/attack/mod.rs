//! What an attacker can do at most: the Gaussian mechanism that bounds it best.
//!
//! | file | is |
//! |---|---|
//! | `fit` | the least mu with `G_mu` below the trade-off function, by `envelope` |
//! | `bounds` | what the parts of a composition say of it |
//! | `promised` | a mu that is enough for whatever keeps a guarantee |
//! | `corners` | the same of polylines, by their vertices |
//! | `sampled` | which pairs are Gaussian noise on samples |
//! | `vertices` | the same of discrete Gaussian noise, by the vertices |
//! | `envelope` | the polygon of tangents below a trade-off function, and the mu of its corners |
//! | `search` | tangents, one after the other, where mu may be the largest |
//! | `touching` | where it touches, by the sides of the polygon |
//! | `gap` | how far the trade-off function is above its Gaussian |

mod bounds;
mod corners;
mod envelope;
mod fit;
mod gap;
mod promised;
mod sampled;
mod search;
mod touching;
mod vertices;

pub use bounds::{bounds, from_distance, from_point};
#[cfg(any(test, feature = "cli"))]
pub use fit::fit;
pub use fit::{Fit, Touch, beside, fit_telling, unsought};
pub use gap::Gap;
pub use promised::promised;
