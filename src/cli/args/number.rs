//! Numbers as typed.

use std::time::Duration;

/// An integer between these two, or what would be one.
pub fn integer(least: u32, most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("an integer from {least} to {most} is expected")),
    }
}

/// A length of time that a clock can count.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    value.ok_or_else(|| "a number of seconds from 0 to 1e19 is expected".to_string())
}
