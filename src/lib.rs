//! Certified privacy arithmetic.
