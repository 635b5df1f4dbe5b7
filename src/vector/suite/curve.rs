//! Points of a whole trade-off curve.

use super::Flag::{self, AlphaNearOne, SmallAlpha};

/// Type I errors from one end to the other, denser where the curve bends.
pub const ALPHAS: [(&str, Option<Flag>); 25] = [
    ("1e-12", Some(SmallAlpha)),
    ("1e-9", Some(SmallAlpha)),
    ("1e-6", Some(SmallAlpha)),
    ("1/10000", Some(SmallAlpha)),
    ("1/1000", Some(SmallAlpha)),
    ("1/200", None),
    ("1/100", None),
    ("1/50", None),
    ("1/20", None),
    ("1/10", None),
    ("3/20", None),
    ("1/5", None),
    ("3/10", None),
    ("2/5", None),
    ("1/2", None),
    ("3/5", None),
    ("7/10", None),
    ("4/5", None),
    ("9/10", None),
    ("19/20", None),
    ("49/50", None),
    ("99/100", None),
    ("999/1000", Some(AlphaNearOne)),
    ("1 - 1e-6", Some(AlphaNearOne)),
    ("1 - 1e-9", Some(AlphaNearOne)),
];
