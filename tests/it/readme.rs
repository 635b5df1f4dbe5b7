//! The commands in the README, in the list of findings and on the pages of the site, run: what they show is what
//! happens.

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new().case("README.md");
}

#[test]
fn the_truths_of_the_findings_are_true() {
    trycmd::TestCases::new().case("vectors/FINDINGS.md");
}

#[test]
fn the_pages_of_the_site_are_true() {
    trycmd::TestCases::new().case("docs/pages/**/*.md");
}
