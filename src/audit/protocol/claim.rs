//! Claims as they come, each kind of nonsense told apart.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most characters kept of a text that an adapter sends along.
const LONGEST_TEXT: usize = 4000;

/// What a number is said to be.
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
    /// The numbers, each with the text that came.
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
    let line = line.trim();
    if !line.starts_with('{') {
        return Reply::Talk;
    }
    let mut object = match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Reply::Talk,
        Err(error) => return Reply::Unreadable(format!("not JSON: {error}")),
    };
    if let Some(adapter) = object.remove("adapter") {
        return match serde_json::from_value(adapter) {
            Ok(hello) => Reply::Hello(hello),
            Err(error) => Reply::Unreadable(format!("an introduction that cannot be read: {error}")),
        };
    }
    let mut text = |name: &str| match object.remove(name) {
        Some(Value::String(text)) => Some(shortened(text)),
        _ => None,
    };
    let (id, error, call, says) = (text("id"), text("error"), text("call"), text("says"));
    let Some(id) = id else { return Reply::Unreadable("a claim without an id".to_string()) };
    let mut claim = Claim { id, error, call, says, ..Claim::default() };
    claim.unsupported = object.get("unsupported") == Some(&Value::Bool(true));
    claim.seconds = object.get("seconds").and_then(Value::as_f64).filter(|seconds| *seconds >= 0.0);
    for kind in [Kind::Upper, Kind::Lower, Kind::Estimate] {
        let number = match object.remove(kind.name()) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => text,
            // A JSON number is a double on its way; its shortest decimal is the same one.
            Some(Value::Number(number)) => number.to_string(),
            Some(_) => return Reply::Unreadable(format!("`{}` is not a number", kind.name())),
        };
        claim.numbers.push((kind, number.trim().to_string()));
    }
    if claim.numbers.is_empty() && claim.error.is_none() && !claim.unsupported {
        return Reply::Unreadable(
            "a claim with none of `upper`, `lower`, `estimate`, `error` and `unsupported`".to_string(),
        );
    }
    Reply::Claim(Box::new(claim))
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
        assert_eq!(claim.numbers, [(Kind::Upper, "0x1p-3".to_string()), (Kind::Lower, "0.1".to_string())]);
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
            (r#"{"upper": "1"}"#, Reply::Unreadable("a claim without an id".into())),
            (
                r#"{"id": "a"}"#,
                Reply::Unreadable(
                    "a claim with none of `upper`, `lower`, `estimate`, `error` and `unsupported`".into(),
                ),
            ),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        assert!(matches!(read("{\"id\": \"a\", "), Reply::Unreadable(_)));
        assert!(matches!(read(r#"{"adapter": {"name": "x"}}"#), Reply::Hello(hello) if hello.name == "x"));
        assert!(matches!(read(r#"{"id": "a", "unsupported": true}"#), Reply::Claim(claim) if claim.unsupported));
    }
}
