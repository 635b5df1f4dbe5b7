//! What an attacker can do: the risk of a mechanism, and the Gaussian that bounds it best.
//!
//! | file | is |
//! |---|---|
//! | `risk` | advantage, true positive rates and Bayes risks, from the answers of a session |
//! | `fit` | the least mu with `G_mu` below the trade-off function, by `envelope` |
//! | `envelope` | the polygon of tangents below a trade-off function, and the mu of its corners |
//! | `gap` | how far the trade-off function is above its Gaussian |

mod envelope;
mod fit;
mod gap;
mod risk;

pub use fit::{Fit, Touch, fit};
pub use risk::Risk;
