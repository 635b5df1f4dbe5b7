//! Progress on long work: on a terminal only, and on standard error, so that data stays data.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `total` things called `what`. It hides itself when standard error is not a terminal.
pub fn bar(total: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:32} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(what.to_string());
    bar
}

/// A line that changes, for work without a known end.
pub fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
