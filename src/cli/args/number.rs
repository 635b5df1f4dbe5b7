//! Parsers of integers and durations.

use std::time::Duration;

/// Parser of an integer in a closed range.
pub fn integer(least: u32, most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("expected an integer from {least} to {most}")),
    }
}

/// Parse a duration in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    value.ok_or_else(|| "expected a number of seconds from 0 to 1e19".to_string())
}
