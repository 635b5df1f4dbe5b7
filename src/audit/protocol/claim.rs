//! Claims as they come, each kind of nonsense told apart.

use std::collections::HashSet;
use std::fmt;

use dpcert_vectors::hex_of_f64;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most characters kept of a text that an adapter sends along.
const LONGEST_TEXT: usize = 4000;

/// The kind of a claimed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The truth is not above it.
    Upper,
    /// The truth is not below it.
    Lower,
    /// The truth is near it.
    Estimate,
}

impl Kind {
    /// The name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Upper => "upper",
            Kind::Lower => "lower",
            Kind::Estimate => "estimate",
        }
    }
}

/// Who speaks, in an adapter's first line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The package.
    #[serde(default)]
    pub name: String,
    /// Its version, as installed.
    #[serde(default)]
    pub version: String,
    /// Which way of calling it.
    #[serde(default)]
    pub api: String,
    /// In which language.
    #[serde(default)]
    pub language: String,
    /// Where the package is documented.
    #[serde(default)]
    pub documentation: String,
}

/// An answer to one query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The id of the query.
    pub id: String,
    /// The numbers, each with the text that came; a JSON number is written as the double it is.
    pub numbers: Vec<(Kind, String)>,
    /// The package raised.
    pub error: Option<String>,
    /// The package does not offer this.
    pub unsupported: bool,
    /// The lines that reproduce it.
    pub call: Option<String>,
    /// What the package documents it to be.
    pub says: Option<String>,
    /// The time in the package alone.
    pub seconds: Option<f64>,
}

/// What a line turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The introduction.
    Hello(Hello),
    /// A claim.
    Claim(Box<Claim>),
    /// It wants to be a claim, and is not: why.
    Unreadable(String),
    /// Not meant for us.
    Talk,
}

/// Read one line.
pub fn read(line: &str) -> Reply {
    // Some languages begin their output with a byte order mark.
    let line = line.trim_start_matches('\u{feff}').trim();
    if !line.starts_with('{') {
        return Reply::Talk;
    }
    let mut object = match serde_json::from_str::<Object>(line) {
        Ok(object) => object,
        Err(error) => return Reply::Unreadable(format!("not a JSON object of the protocol: {error}")),
    };
    // A claim may have a field of this name.
    if !object.has("id")
        && let Some(adapter) = object.take("adapter")
    {
        // Whatever it says of itself, it has begun to speak.
        return Reply::Hello(serde_json::from_str(adapter.get()).unwrap_or_default());
    }
    match claim(&mut object) {
        Ok(claim) => Reply::Claim(Box::new(claim)),
        Err(why) => Reply::Unreadable(why),
    }
}

/// The claim that an object makes, or why it makes none.
fn claim(object: &mut Object) -> Result<Claim, String> {
    let mut text = |name: &str| match object.take(name).map(|value| serde_json::from_str(value.get())) {
        Some(Ok(Value::String(text))) => Some(shortened(text)),
        _ => None,
    };
    let (id, error, call, says) = (text("id"), text("error"), text("call"), text("says"));
    let id = id.ok_or("claim without an `id`")?;
    let mut claim = Claim { id, error, call, says, ..Claim::default() };
    claim.unsupported = object.take("unsupported").is_some_and(|value| value.get() == "true");
    let seconds = object.take("seconds").and_then(|value| value.get().parse::<f64>().ok());
    claim.seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    for kind in [Kind::Upper, Kind::Lower, Kind::Estimate] {
        let Some(value) = object.take(kind.name()) else { continue };
        let raw = value.get();
        let number = match raw.as_bytes().first() {
            Some(b'n') => continue,
            Some(b'"') => serde_json::from_str::<String>(raw).map_err(|error| error.to_string())?.trim().to_string(),
            Some(b'-' | b'0'..=b'9') => {
                let double = double(raw).ok_or_else(|| {
                    format!("`{}` is the JSON number {}, which is not a double", kind.name(), brief(raw))
                        + "; write it as a string to keep it exact"
                })?;
                hex_of_f64(double)
            }
            _ => return Err(format!("`{}` is not a number", kind.name())),
        };
        claim.numbers.push((kind, number));
    }
    // A number is judged, whatever is said beside it; an error without a word is no more than a field left blank.
    claim.unsupported &= claim.numbers.is_empty();
    if !claim.numbers.is_empty() && claim.error.as_ref().is_some_and(|error| error.trim().is_empty()) {
        claim.error = None;
    }
    if claim.numbers.is_empty() && claim.error.is_none() && !claim.unsupported {
        return Err("claim without `upper`, `lower`, `estimate`, `error` or `unsupported`".to_string());
    }
    Ok(claim)
}

/// The double that a JSON number is.
///
/// Programs write doubles in decimals, of which 17 digits tell every normal double from all others. So up to 17 digits
/// mean the double nearest to them, though the decimal itself may lie on the other side of the truth. More digits, or
/// numbers below the normal doubles, must be those of the double as far as they go; whole numbers must be the double
/// itself. All else (`1e-400`, `9007199254740993`) was a number of another kind, and rounding it would put words in
/// somebody's mouth.
fn double(json: &str) -> Option<f64> {
    let value: f64 = json.parse().ok().filter(|value: &f64| value.is_finite())?;
    let magnitude = json.trim_start_matches('-');
    if magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
        return (format!("{:.0}", value.abs()) == magnitude).then_some(value);
    }
    let mantissa = magnitude.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() || (digits.len() <= DIGITS && value.is_normal()) {
        return Some(value);
    }
    // An exact decimal of the double; more digits than any has are zeros.
    let places = digits.len().checked_sub(1).filter(|places| *places < LONGEST_TEXT)?;
    let same = format!("{:.places$e}", value.abs());
    let of_double: String = same.split('e').next()?.chars().filter(char::is_ascii_digit).collect();
    (of_double == digits).then_some(value)
}

/// Number of decimal digits that identifies every normal double.
const DIGITS: usize = 17;

/// A number short enough for a message.
fn brief(number: &str) -> String {
    match number.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", number.split_at(at).0),
        None => number.to_string(),
    }
}

/// A JSON object, its values as they were written, no key twice.
struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    fn take(&mut self, name: &str) -> Option<Box<RawValue>> {
        let place = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.swap_remove(place).1)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object, M::Error> {
                let (mut entries, mut keys) = (Vec::new(), HashSet::new());
                while let Some(key) = map.next_key::<String>()? {
                    if !keys.insert(key.clone()) {
                        let key = shortened(key);
                        return Err(serde::de::Error::custom(format_args!("duplicate key `{key}`")));
                    }
                    entries.push((key, map.next_value()?));
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// At most [`LONGEST_TEXT`] characters.
fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((at, _)) => format!("{}...", text.split_at(at).0),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read() {
        let Reply::Claim(claim) = read(
            r#" {"id": "a", "upper": "0x1p-3", "lower": 0.1, "call": "print(1)", "seconds": 0.5, "mood": "good"} "#,
        ) else {
            panic!("a claim")
        };
        assert_eq!(claim.id, "a");
        assert_eq!(
            claim.numbers,
            [(Kind::Upper, "0x1p-3".to_string()), (Kind::Lower, "0x1.999999999999ap-4".to_string())]
        );
        assert_eq!(claim.seconds, Some(0.5));
        assert_eq!(claim.call.as_deref(), Some("print(1)"));
    }

    #[test]
    fn what_is_no_claim_is_told_apart() {
        for (line, expected) in [
            ("", Reply::Talk),
            ("loading ...", Reply::Talk),
            ("nan", Reply::Talk),
            (r#"{"id": "a", "upper": []}"#, Reply::Unreadable("`upper` is not a number".into())),
            (r#"{"upper": "1"}"#, Reply::Unreadable("claim without an `id`".into())),
            (
                r#"{"id": "a"}"#,
                Reply::Unreadable("claim without `upper`, `lower`, `estimate`, `error` or `unsupported`".into()),
            ),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        assert!(matches!(read("{\"id\": \"a\", "), Reply::Unreadable(_)));
        assert!(matches!(read(r#"{"adapter": {"name": "x"}}"#), Reply::Hello(hello) if hello.name == "x"));
        assert!(matches!(read(r#"{"id": "a", "unsupported": true}"#), Reply::Claim(claim) if claim.unsupported));
        assert!(
            matches!(read(r#"{"id": "a", "unsupported": true, "upper": "0"}"#), Reply::Claim(claim) if !claim.unsupported)
        );
        let error_of = |line: &str| match read(line) {
            Reply::Claim(claim) => claim.error,
            other => panic!("{other:?}"),
        };
        assert_eq!(error_of(r#"{"id": "a", "upper": "0", "error": " "}"#), None);
        assert_eq!(error_of(r#"{"id": "a", "upper": "0", "error": "E"}"#).as_deref(), Some("E"));
        assert_eq!(error_of(r#"{"id": "a", "error": ""}"#).as_deref(), Some(""));
        assert!(matches!(read(r#"{"id": "a", "adapter": 3, "upper": "0"}"#), Reply::Claim(_)));
        assert!(matches!(read(r#"{"adapter": {"version": 3}}"#), Reply::Hello(_)));
    }

    fn number(json: &str) -> Result<String, String> {
        match read(&format!(r#"{{"id": "a", "upper": {json}}}"#)) {
            Reply::Claim(claim) => Ok(claim.numbers[0].1.clone()),
            Reply::Unreadable(why) => Err(why),
            other => panic!("{other:?}"),
        }
    }

    /// What `json.dumps` makes of a double is that double, not the decimal.
    #[test]
    fn json_numbers_are_the_doubles_they_are() {
        for value in
            [0.951_582_870_755_963_6, 0.1, 5e-324, 2.225e-310, 1e22, 1.797_693_134_862_315_7e308, 0.0, 3.0, 0.3]
        {
            let hex = hex_of_f64(value);
            for text in [format!("{value:e}"), format!("{value:?}"), format!("{value:.40e}"), format!("{value:.800e}")]
            {
                assert_eq!(number(&text), Ok(hex.clone()), "{text}");
            }
            if value.is_normal() {
                assert_eq!(number(&format!("{value:.16e}")), Ok(hex.clone()));
            }
        }
        assert_eq!(number("-0.5"), Ok("-0x1p-1".to_string()));
        assert_eq!(number("0.10000000000000000555"), Ok("0x1.999999999999ap-4".to_string()));
        assert_eq!(number("9007199254740992"), Ok("0x1p+53".to_string()));
        assert_eq!(number("0e-400"), Ok("0x0p+0".to_string()));
    }

    /// JSON numbers that are not doubles are refused; strings are exact decimals.
    #[test]
    fn other_json_numbers_are_refused() {
        for text in
            ["1e-400", "1e999", "-1e999", "9007199254740993", "0.1000000000000000000001", "3e-324", "1e-323456789"]
        {
            let why = number(text).expect_err(text);
            assert!(why.contains("is not a double") && why.ends_with("write it as a string to keep it exact"), "{why}");
            assert_eq!(number(&format!("\"{text}\"")), Ok(text.to_string()));
        }
        assert!(number(&"1".repeat(500_000)).is_err());
        assert!(number("NaN").expect_err("no JSON").starts_with("not a JSON object"));
    }

    #[test]
    fn no_key_may_come_twice() {
        let Reply::Unreadable(why) = read(r#"{"id": "x", "upper": "1", "upper": "0"}"#) else { panic!("unreadable") };
        assert!(why.contains("duplicate key `upper`"), "{why}");
    }

    #[test]
    fn byte_order_marks_are_passed_over() {
        assert!(matches!(read("\u{feff} {\"id\": \"a\", \"upper\": \"1\"}"), Reply::Claim(_)));
    }
}
