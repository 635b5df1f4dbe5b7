//! Proof pages and code cite each other: no page that no code rests on, no citation of a page or a file that is not
//! there; and what is said of the routes of the golden vectors is counted in the vectors.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below some folders of the project that have an extension.
fn files(folders: &[&str], extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        folders.iter().map(|folder| root().join(folder)).filter(|path| path.is_dir()).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folders of all crates' sources.
fn sources() -> Vec<PathBuf> {
    let members = ["src", "vectors/src", "enclosure/src"];
    files(&members, "rs")
}

/// Names behind each occurrence of a prefix, as far as they are made of the letters of file names.
fn behind(text: &str, prefix: &str) -> Vec<String> {
    let letter = |c: &char| c.is_ascii_alphanumeric() || "-_./".contains(*c);
    text.match_indices(prefix)
        .map(|(at, _)| text[at + prefix.len()..].chars().take_while(letter).collect::<String>())
        .map(|name| name.trim_end_matches(['.', '/']).to_string())
        .collect()
}

#[test]
fn every_page_is_cited_and_every_cited_page_is_there() {
    let pages: BTreeSet<String> = files(&["proofs/paper"], "md")
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(pages.len() > 20);
    let mut cited = BTreeSet::new();
    let texts = sources().into_iter().chain(files(&["proofs", "vectors"], "md")).chain([root().join("README.md")]);
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        for name in behind(&text, "proofs/paper/").into_iter().filter(|name| !name.is_empty()) {
            assert!(pages.contains(&name), "{}: there is no page proofs/paper/{name}", path.display());
            if path.extension().is_some_and(|extension| extension == "rs") {
                cited.insert(name);
            }
        }
    }
    let idle: Vec<_> = pages.difference(&cited).collect();
    assert!(idle.is_empty(), "no code cites {idle:?}");
}

/// Pages name the code that they prove, in backquotes: a path from the root, or the name of a file that is somewhere.
#[test]
fn the_code_that_pages_name_is_there() {
    let sources = sources();
    let mut names = 0;
    for page in files(&["proofs"], "md") {
        let text = fs::read_to_string(&page).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let plain = !quoted.contains(|c: char| !(c.is_ascii_alphanumeric() || "_-./{},".contains(c)));
            if !plain || !(quoted.starts_with("src/") || quoted.starts_with("enclosure/") || quoted.ends_with(".rs")) {
                continue;
            }
            for name in alternatives(quoted) {
                names += 1;
                let whole = root().join(&name);
                let known = whole.exists() || sources.iter().any(|source| source.ends_with(&name));
                assert!(known, "{}: there is no {name}", page.display());
            }
        }
        // Pages that stand beside each other.
        for other in text.split('`').skip(1).step_by(2).filter(|quoted| quoted.ends_with(".md")) {
            let near = page.parent().unwrap().join(other);
            assert!(near.exists() || root().join(other).exists(), "{}: there is no {other}", page.display());
        }
    }
    assert!(names > 50, "{names}");
}

/// Theorems of others by the row of `proofs/axioms.md` that states them, each with the words by which pages name it.
const THEOREMS: &[(&str, &[&str])] = &[
    ("neyman-pearson", &["Neyman"]),
    ("blackwell", &["Blackwell"]),
    ("berry-esseen", &["Esseen"]),
    ("sampford", &["Sampford"]),
    ("mills", &["Mills"]),
    ("kearns-saul", &["Kearns"]),
    ("hoeffding", &["Hoeffding"]),
    ("kairouz-oh-viswanath", &["Kairouz, Oh", "KOV"]),
    ("murtagh-vadhan", &["Murtagh"]),
    ("dong-roth-su", &["Dong, Roth"]),
    ("dwork-rothblum", &["Rothblum"]),
    ("bun-steinke", &["Bun and", "Bun, Steinke"]),
    ("canonne-kamath-steinke", &["Canonne"]),
    ("mironov", &["Mironov"]),
    ("pinsker", &["Pinsker"]),
    ("stronger-clones", &["tronger clones", "2023, Theorem 3.1"]),
    ("clones", &["Talwar"]),
    ("gdp-filter", &["filter theorem", "Smith and Thakurta"]),
    ("renyi-filter", &["Zrnic"]),
    ("pure-filter", &["Rogers"]),
    ("shifted-interpolation", &["Altschuler"]),
    ("canonical-noise", &["Awan"]),
    ("jensen", &["Jensen"]),
    ("hoelder", &["H\u{f6}lder", "Schwarz"]),
    ("log-sum", &["log-sum"]),
    ("cauchy-binet", &["Binet"]),
    ("duality", &["Lagrange;", "(Lagrange)", "duality of linear programs", "(duality"]),
    ("calculus", &["Taylor's theorem", "mean value theorem", "residue theorem", "Lagrange's remainder", "(Cauchy)"]),
    ("poisson-summation", &["Poisson summation", "Poisson's summation", "Poisson's formula"]),
    ("jacobi", &["Jacobi"]),
    ("euler-maclaurin", &["Maclaurin"]),
    ("trapezoid", &["Weideman"]),
    ("chebyshev", &["Bernstein", "Approximation Theory and"]),
    ("fejer", &["Fejer"]),
    ("markov", &["Markov)"]),
    ("compensated-sums", &["Ogita"]),
    ("lindemann", &["Lindemann"]),
    ("besicovitch", &["Besicovitch"]),
    ("gauss-lemma", &["Gauss's lemma"]),
    ("fermat", &["Fermat"]),
    ("chinese-remainder", &["Chinese remainder"]),
];

/// A link of a page to a row.
fn link(id: &str) -> String {
    format!("](../axioms.md#{id})")
}

/// A page that names a theorem of others links to the row that states it; each row is named here, and cited by a page.
#[test]
fn theorems_of_others_are_stated_among_the_axioms() {
    let axioms = fs::read_to_string(root().join("proofs/axioms.md")).unwrap();
    let stated: BTreeSet<&str> =
        axioms.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id).collect();
    assert_eq!(stated, THEOREMS.iter().map(|(id, _)| *id).collect());
    let mut cited = BTreeSet::new();
    for page in files(&["proofs/paper"], "md") {
        let text = fs::read_to_string(&page).unwrap();
        for (_, rest) in text.match_indices("axioms.md#").map(|(at, word)| (at, &text[at + word.len()..])) {
            let id = rest.split(')').next().unwrap_or_default();
            assert!(stated.contains(id), "{}: proofs/axioms.md has no row {id}", page.display());
        }
        for (id, words) in THEOREMS {
            if text.contains(&link(id)) {
                cited.insert(*id);
            }
            let named = words.iter().find(|word| text.contains(**word));
            let Some(word) = named.filter(|_| !text.contains(&link(id))) else { continue };
            panic!("{}: `{word}` needs a link to ../axioms.md#{id}", page.display());
        }
    }
    assert_eq!(cited, stated, "no page cites some rows");
}

/// Numbers of statements behind a word such as `Theorem`: the first, and others behind `,` or `and`.
fn numbers<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(word) {
        let rest = text[at + word.len()..].trim_start_matches('s');
        for piece in rest.split([' ', '\n']).filter(|piece| !piece.is_empty()) {
            let number = piece.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            if number == "and" || number == "to" {
                continue;
            }
            let digits = number.trim_start_matches(['A', '.']);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
                break;
            }
            found.push(number);
            if !piece.ends_with(',') && !piece.ends_with(|c: char| c.is_ascii_digit()) {
                break;
            }
        }
    }
    found
}

/// A numbered statement that a page cites is in a row.
#[test]
fn numbered_statements_are_stated_among_the_axioms() {
    let axioms = fs::read_to_string(root().join("proofs/axioms.md")).unwrap();
    let words = |text: &str| -> BTreeSet<String> {
        let of = |c: char| !(c.is_ascii_alphanumeric() || c == '.');
        text.split(of).map(|word| word.trim_matches('.').to_string()).collect()
    };
    let known = words(&axioms);
    let mut count = 0;
    for page in files(&["proofs/paper"], "md") {
        let text = fs::read_to_string(&page).unwrap();
        for word in ["Theorem", "Proposition", "Lemma", "Corollary", "Corollarie", "Definition"] {
            for number in numbers(&text, word) {
                assert!(known.contains(number), "{}: {word} {number} is in no row of proofs/axioms.md", page.display());
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn alternatives(quoted: &str) -> Vec<String> {
    let Some((before, rest)) = quoted.split_once('{') else { return vec![quoted.to_string()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![quoted.to_string()] };
    inside.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

/// How many golden values rest on which second computation, as the page of the vectors and the axioms state it.
#[test]
fn the_routes_of_golden_values_are_those_that_are_told() {
    let (mut other_arithmetic, mut other_engine, mut second_contour, mut orders) = (0, 0, 0, 0);
    for path in files(&["vectors/data"], "json") {
        let file: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let routes: Vec<&str> = case["routes"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
            let [first, second] = routes[..] else { panic!("{}: {routes:?}", path.display()) };
            // A calibration is confirmed by values on both sides of it.
            let second = second.trim_end_matches(", on both sides");
            match second {
                // Values at witnesses, and at points beside a proof.
                _ if case.get("other").is_some() => orders += 1,
                _ if second.starts_with("malachite, ") => other_arithmetic += 1,
                "trapezoid rule on a second shifted contour" => second_contour += 1,
                _ => other_engine += 1,
            }
            assert_ne!(first, second);
        }
    }
    let grouped = |n: u32| if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) };
    let all = other_arithmetic + other_engine + second_contour + orders;
    for page in ["vectors/README.md", "proofs/axioms.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for count in [all, other_arithmetic, other_engine, second_contour, orders].map(grouped) {
            assert!(text.contains(&count), "{page} does not state the count {count}");
        }
    }
}
