//! Parsers of integers and durations.

use std::time::Duration;

use enclosure::Work;

/// Parser of an integer in a closed range.
pub fn integer(least: u32, most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("expected an integer from {least} to {most}")),
    }
}

/// Parse an amount of work: an integer, or a number such as 8e9.
pub fn work(text: &str) -> Result<Work, String> {
    let value = text.parse().ok().filter(|units: &f64| (0.0..1e19).contains(units));
    value.map(|units| Work::units(units as u64)).ok_or_else(|| "expected a number of units from 0 to 1e19".to_string())
}

/// Parse a duration in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value = text.parse().ok().and_then(|value| Duration::try_from_secs_f64(value).ok());
    value.ok_or_else(|| "expected a number of seconds from 0 to 1e19".to_string())
}
