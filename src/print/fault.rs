//! A line of JSON as the type that it is to be, or what is wrong with it, in words.

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};
use serde_path_to_error::Path;

use super::line::shortened;

/// Read a line.
///
/// # Errors
/// What is wrong with it, with the field where something else stands than belongs there.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // A list would be taken for the fields in their order.
    if text.trim_start().starts_with('[') && serde_json::from_str::<Value>(text).is_ok() {
        return Err("expected an object, as in {\"quantity\": \"kl\", \"mechanism\": \"gdp(mu=1)\"}, not a list".into());
    }
    let mut reader = Deserializer::from_str(text);
    let found =
        serde_path_to_error::deserialize(&mut reader).map_err(|error| (error.path().clone(), error.into_inner()));
    let (path, error) = match found {
        Ok(value) => match reader.end() {
            Ok(()) => return Ok(value),
            Err(error) => return Err(syntax(&error)),
        },
        Err(found) => found,
    };
    if error.is_data() {
        return Err(told(&path, &without_place(&error)));
    }
    // Serde reports a value that is no variant name as a fault of syntax, even if it is a number or a list.
    match serde_json::from_str::<Value>(text).map(serde_path_to_error::deserialize::<_, T>) {
        Ok(Err(error)) => Err(told(error.path(), &without_place(error.inner()))),
        _ => Err(syntax(&error)),
    }
}

/// The value that a field expects, and the value it has.
fn told(path: &Path, what: &str) -> String {
    shortened(match in_words(what) {
        Some(words) if path.iter().next().is_some() => format!("{path}: {words}"),
        Some(words) => words,
        None => what.to_string(),
    })
}

/// Invalid JSON.
fn syntax(error: &serde_json::Error) -> String {
    let (what, column) = (without_place(error), error.column());
    if what == "number out of range" {
        return format!("a number is too large for JSON at column {column}: write it as a string, such as \"1e400\"");
    }
    shortened(format!("invalid JSON: {what} at column {column}"))
}

/// The JSON reader counts lines too, but it has seen this one only.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_string()
}

/// That something else stands where a number, a text or a list is wanted, without the names that these have in code;
/// `None` for other faults.
fn in_words(what: &str) -> Option<String> {
    let told = what.strip_prefix("invalid type: ").or_else(|| what.strip_prefix("invalid value: "))?;
    let (found, wanted) = told.rsplit_once(", expected ")?;
    let quoted = |kind: &str| found.strip_prefix(kind).map(|value| value.trim_matches('`').to_string());
    let number = quoted("integer ").or_else(|| quoted("floating point ")).or_else(|| quoted("boolean "));
    let found = match found {
        "map" => "an object".to_string(),
        "sequence" => "a list".to_string(),
        _ => number.or_else(|| quoted("string ").map(|text| format!("the string {text}"))).unwrap_or(found.to_string()),
    };
    let wanted = match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => {
            let whole = found.starts_with(|first: char| first.is_ascii_digit())
                && found.bytes().all(|byte| byte.is_ascii_digit() || b"e+".contains(&byte));
            if whole { "a smaller integer" } else { "an integer, such as 3" }
        }
        "a boolean" => "true or false",
        "a string" | "string or map" => "a string",
        "a sequence" => "a list",
        wanted => wanted,
    };
    Some(format!("expected {wanted}, not {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn fault(field: &str) -> String {
        let line = format!(r#"{{"quantity":"kl","mechanism":"gdp(mu=1)",{field}}}"#);
        read::<Query>(&line).expect_err("a fault")
    }

    /// Misplaced values are described in terms of JSON, without names of Rust types.
    #[test]
    fn faults_are_told_in_words() {
        let told = |digits: &str| fault(&format!("\"digits\":{digits}"));
        let text = "digits: expected an integer, such as 3, not the string \"ten, expected u32\"";
        assert_eq!(told("\"ten, expected u32\""), text);
        assert_eq!(told("-1"), "digits: expected an integer, such as 3, not -1");
        assert_eq!(told("1.5"), "digits: expected an integer, such as 3, not 1.5");
        assert_eq!(told("99999999999"), "digits: expected a smaller integer, not 99999999999");
        assert_eq!(told("99999999999999999999"), "digits: expected a smaller integer, not 1e+20");
        assert_eq!(told("[]"), "digits: expected an integer, such as 3, not a list");
        assert_eq!(told("true"), "digits: expected an integer, such as 3, not true");
        assert_eq!(in_words("missing field `a`"), None);
    }

    /// A number where a name belongs is a fault of its field, because the line is JSON.
    #[test]
    fn what_is_no_name_is_told_with_its_field() {
        assert_eq!(fault(r#""direction":3"#), "direction: expected a string, not 3");
        assert_eq!(fault(r#""direction":null"#), "direction: expected a string, not null");
        assert_eq!(fault(r#""method":[]"#), "method: expected a string, not a list");
        assert_eq!(
            read::<Query>(r#"{"quantity":true}"#).expect_err("a fault"),
            "quantity: expected a string, not true"
        );
        assert!(fault(r#""direction":}"#).starts_with("invalid JSON: expected value at column"));
        assert!(fault(r#""digits":1e400"#).starts_with("a number is too large for JSON at column"));
    }

    /// A list is no query, whatever is in it.
    #[test]
    fn lists_are_no_objects() {
        for line in ["[]", r#" ["kl", "gdp(mu=1)"]"#] {
            assert!(read::<Query>(line).expect_err("a fault").ends_with("not a list"), "{line}");
        }
        assert!(read::<Query>("[").expect_err("a fault").starts_with("invalid JSON"));
    }
}
