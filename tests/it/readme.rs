//! The commands in the README, on the pages of the vectors and on the pages of the site run, and print what the pages
//! show.

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new().case("README.md");
}

#[test]
fn the_pages_of_the_vectors_are_true() {
    trycmd::TestCases::new().case("vectors/FINDINGS.md").case("vectors/README.md");
}

/// README counts the packages in whose claims a fault was found.
#[test]
fn the_readme_counts_the_packages_with_faults() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = |name| std::fs::read_to_string(root.join(name)).expect(name);
    let findings = page("vectors/FINDINGS.md");
    let table = findings.split("## In short").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the table");
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let faulty: std::collections::BTreeSet<&str> = rows.filter_map(|line| line.split(" | ").next()).collect();
    let audited =
        findings.lines().filter(|line| line.starts_with("## ") && line.ends_with(|c: char| c.is_ascii_digit()));
    let numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let (all, faulty) = (numbers[audited.count()], numbers[faulty.len()]);
    assert!(page("README.md").contains(&format!("{faulty} of these {all} packages")), "{faulty} of {all}");
}

#[test]
fn the_pages_of_the_site_are_true() {
    trycmd::TestCases::new().case("docs/pages/**/*.md");
}
