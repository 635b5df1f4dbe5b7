//! The commands in the README and in the list of findings, run: what they show is what happens.

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new().case("README.md");
}

#[test]
fn the_truths_of_the_findings_are_true() {
    trycmd::TestCases::new().case("vectors/FINDINGS.md");
}
