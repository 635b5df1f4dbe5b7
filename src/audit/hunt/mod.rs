//! Questions that nobody wrote down.
