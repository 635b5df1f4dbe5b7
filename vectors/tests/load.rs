//! Files that load, and files that do not: each mistake with the words it is answered with.

use std::path::Path;

use dpcert_vectors::{LoadError, lint_dir, lint_str, load_dir, load_file, load_str, to_json};

const GOOD: &str = include_str!("fixtures/rr-delta.json");

fn fixtures() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

#[test]
fn the_fixtures_are_clean() {
    assert_eq!(lint_dir(fixtures()).unwrap(), []);
    let set = load_dir(fixtures()).unwrap();
    assert_eq!(set.files.keys().collect::<Vec<_>>(), ["gaussian-max.json", "rr-delta.json"]);
    assert_eq!(set.cases().count(), 5);
    assert_eq!(set.case("rr-delta-0002").unwrap().1.comment, "x = 3, so delta is 1/2, a double");
    assert!(set.case("rr-delta-9999").is_none());
}

#[test]
fn writing_gives_the_bytes_that_were_read() {
    for name in ["gaussian-max.json", "rr-delta.json"] {
        let path = fixtures().join(name);
        assert_eq!(to_json(&load_file(&path).unwrap()).unwrap(), std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn other_bytes_for_the_same_values_are_found() {
    let changed = GOOD.replacen("\"family\": \"rr\"", "\"family\":  \"rr\"", 1);
    let findings = lint_str("rr-delta.json", &changed).unwrap();
    assert_eq!(
        findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["rr-delta.json: line 4 differs from the generator's output"]
    );
}

#[test]
fn each_mistake_is_answered_with_its_place_and_its_reason() {
    let cases = [
        ("", "", "f:1:0: EOF while parsing a value"),
        (r#""license": "CC0-1.0""#, r#""license": "MIT""#, "f:7:18: unknown variant `MIT`, expected `CC0-1.0`"),
        (
            "dpcert-vectors/1",
            "dpcert-vectors/2",
            "f:2:30: unknown variant `dpcert-vectors/2`, expected `dpcert-vectors/1`",
        ),
        (
            r#""quantity": "delta""#,
            r#""quantity": "gamma""#,
            "f:3:21: unknown variant `gamma`, expected one of `delta`, `epsilon`, `beta`, `renyi`, `kl`, `tv`, `chi2`, \
             `max`, `advantage`, `true-positive-rate`, `bayes-risk`, `conjugate`, `kappa2`, `kappa3`, `kappa3bar`, \
             `variance`, `cumulant`, `chi2-plus`, `hellinger`, `jensen-shannon`, `le-cam`, `antipodal-kl`, \
             `subgaussian`, `zcdp`, `gdp-fit`, `canonical-cdf`, `canonical-quantile`, `loss-above-p`, \
             `loss-above-q`, `...",
        ),
        (
            r#""title""#,
            r#""titel""#,
            "f:5:9: unknown field `titel`, expected one of `format`, `quantity`, `family`, `title`, `about`, \
             `license`, `statements`, `flags`, `cases`",
        ),
        (r#""family": "rr","#, r#""family": "rr", "family": "rr","#, "f:4:26: duplicate field `family`"),
        (r#""LN_EPSILON": "#, r#""LN_EPSILON": "x", "LN_EPSILON": "#, r#"f:12:35: duplicate key "LN_EPSILON""#),
        (
            r#"  "flags": {"#,
            r#"  "flagses": {"#,
            "f:11:11: unknown field `flagses`, expected one of `format`, `quantity`, `family`, `title`, `about`, \
             `license`, `statements`, `flags`, `cases`",
        ),
        (r#""times": 1"#, r#""times": "1""#, r#"f:30:22: invalid type: string "1", expected u64"#),
        (r#""times": 1"#, r#""times": -1"#, "f:30:21: invalid value: integer `-1`, expected u64"),
        (r#""times": 1"#, r#""times": 1.5"#, "f:30:22: invalid type: floating point `1.5`, expected u64"),
        (
            r#""epsilon": "0""#,
            r#""epsilon": 0"#,
            r#"f:34:20: invalid type: integer `0`, expected an exact number: "p/q", {"ln": "p/q"}, {"sqrt": "p/q"} or {"expr": "..."}"#,
        ),
        (
            r#""epsilon": "0""#,
            r#""epsilon": null"#,
            r#"f:34:23: invalid type: null, expected an exact number: "p/q", {"ln": "p/q"}, {"sqrt": "p/q"} or {"expr": "..."}"#,
        ),
        (
            r#""epsilon": "0""#,
            r#""eps": "0""#,
            "f:34:13: unknown field `eps`, expected one of `epsilon`, `delta`, `alpha`, `beta`, `order`, `fpr`, \
             `prior`, `slope`, `x`, `p`, `loss`, `u`",
        ),
        (r#""epsilon": "0""#, r#""epsilon": "0.5""#, r#"f:34:24: "0.5" must be written "1/2""#),
        (
            r#""epsilon": "0""#,
            r#""epsilon": "1e1000000000""#,
            r#"f:34:33: "1e1000000000" has an exponent beyond ±1000000"#,
        ),
        (r#""epsilon": "0""#, r#""epsilon": {}"#, "f:34:21: an exact number object needs one key: ln, sqrt or expr"),
        (
            r#""epsilon": "0""#,
            r#""epsilon": {"exp": "2"}"#,
            "f:34:25: unknown field `exp`, expected one of `ln`, `sqrt`, `expr`",
        ),
        (
            r#""epsilon": "0""#,
            r#""epsilon": {"ln": "2", "sqrt": "2"}"#,
            r#"f:34:37: an exact number object has exactly one key; "sqrt" is a second key"#,
        ),
        (r#""ln": "3/2""#, r#""ln": "6/4""#, r#"f:27:25: "6/4" must be written "3/2""#),
        (
            r#""direction": "worst""#,
            r#""direction": "best""#,
            "f:36:25: unknown variant `best`, expected one of `worst`, `forward`, `backward`",
        ),
        (
            r#""kind": "exact""#,
            r#""kind": "guess""#,
            "f:43:23: unknown variant `guess`, expected one of `exact`, `enclosure`, `infinite`, `order`",
        ),
        (
            r#""kind": "exact""#,
            r#""kind": "exact", "method": "x""#,
            "f:43:33: unknown field `method`, expected one of `kind`, `exact`, `lower`, `upper`, `lower_decimal`, \
             `upper_decimal`, `f64_lower`, `f64_upper`, `order`",
        ),
        (
            r#""f64_upper": "0x1.999999999999ap-3""#,
            r#""f64_upper": "0x1.99999999999999p-3""#,
            r#"f:50:44: "0x1.99999999999999p-3" is not a double (too many bits or out of range)"#,
        ),
        (
            r#""f64_upper": "0x1.999999999999ap-3""#,
            r#""f64_upper": "nan""#,
            r#"f:50:26: "nan" is not a hex float such as 0x1.8p-3"#,
        ),
        (
            r#""lower": "0x1p-1""#,
            r#""lower": "0x1p-1000000000""#,
            r#"f:83:34: "0x1p-1000000000" has an exponent beyond ±1000000"#,
        ),
        (
            r#""lower": "0x1p-1""#,
            r#""lower": 0.5"#,
            "f:83:20: invalid type: floating point `0.5`, expected a string: an exact hex float of any size, such as \
             0x1.8p-3",
        ),
    ];
    let mut differences = Vec::new();
    for (good, bad, expected) in cases {
        let text = if good.is_empty() { String::new() } else { GOOD.replacen(good, bad, 1) };
        assert_ne!(text, GOOD, "the mistake was not made: {bad}");
        let error = load_str("f", &text).expect_err(expected).to_string();
        if error != expected {
            differences.push(format!("{bad}\n  expected {expected}\n  got      {error}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Every prefix is refused, and says where it ends.
#[test]
fn truncated_files_are_refused() {
    for end in (0..GOOD.trim_end().len()).filter(|end| GOOD.is_char_boundary(*end)) {
        let text = &GOOD[..end];
        match load_str("f", text) {
            Err(LoadError::Format { line, .. }) => assert!(line >= text.lines().count(), "{end}"),
            other => panic!("{end}: {other:?}"),
        }
    }
}

#[test]
fn errors_stay_on_one_line() {
    let name = "x\\n\\u0007".repeat(500);
    let error = load_str("f", &GOOD.replacen("title", &name, 1)).unwrap_err().to_string();
    assert!(error.starts_with("f:5:4504: unknown field `x  x  x"), "{error}");
    assert!(error.ends_with("...") && error.chars().count() < 450 && !error.contains(char::is_control), "{error}");
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    let inner = r#"{"mechanism": "poisson", "parameters": {}, "times": 1, "of": ["#.repeat(100_000);
    let text = GOOD.replacen(r#""parameters": ["#, &format!(r#""parameters": [{inner}"#), 1);
    let error = load_str("f", &text).unwrap_err().to_string();
    assert!(error.ends_with("recursion limit exceeded"), "{error}");
}

#[test]
fn missing_and_wrong_paths_are_named() {
    let missing = fixtures().join("no-such.json");
    let error = load_file(&missing).unwrap_err().to_string();
    assert!(error.starts_with(&missing.display().to_string()), "{error}");
    let error = load_dir(fixtures().join("none")).unwrap_err().to_string();
    assert!(error.starts_with(&fixtures().join("none").display().to_string()), "{error}");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(load_dir(&source).unwrap_err().to_string(), format!("{}: contains no .json files", source.display()));
}

#[test]
fn too_large_and_binary_files_are_refused() {
    let folder = std::env::temp_dir().join(format!("dpcert-vectors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let binary = folder.join("binary.json");
    std::fs::write(&binary, b"{\"a\xff\"}").unwrap();
    assert_eq!(
        load_file(&binary).unwrap_err().to_string(),
        format!("{}: invalid UTF-8 after byte 3", binary.display())
    );
    // Sparse: it takes no space on the disk.
    let large = folder.join("large.json");
    std::fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    assert_eq!(load_file(&large).unwrap_err().to_string(), format!("{}: larger than 67108864 bytes", large.display()));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// No object of the schema lets an unknown property through, but for the dictionaries.
#[cfg(feature = "schema")]
#[test]
fn the_schema_is_closed() {
    fn visit(value: &serde_json::Value, objects: &mut usize) {
        if let Some(object) = value.as_object() {
            if object.contains_key("properties") {
                *objects += 1;
                assert_eq!(object.get("additionalProperties"), Some(&false.into()), "{value}");
            }
            object.values().for_each(|value| visit(value, objects));
        } else if let Some(list) = value.as_array() {
            list.iter().for_each(|value| visit(value, objects));
        }
    }
    let schema = dpcert_vectors::schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let mut objects = 0;
    visit(&schema, &mut objects);
    // the file, a case, a factor, the other composition, a point, an answer, a witness, six limit theorems, another
    // theorem, a function of bits, and three kinds of exact number
    assert_eq!(objects, 18);
    for (path, expected) in [("/properties/format", "dpcert-vectors/1"), ("/properties/license", "CC0-1.0")] {
        let text = schema.pointer(path).unwrap().to_string();
        let name = text.split("#/$defs/").nth(1).and_then(|rest| rest.split('"').next());
        let definition = name.map_or(text.clone(), |name| schema["$defs"][name].to_string());
        assert!(definition.contains(expected), "{path}: {definition}");
    }
}

/// What a program carries is what lies in the folder, file by file.
#[cfg(feature = "embedded")]
#[test]
fn embedded_vectors_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let set = dpcert_vectors::embedded().unwrap();
    assert!(set.cases().count() > 5000);
    assert_eq!(set, load_dir(folder).unwrap());
}
