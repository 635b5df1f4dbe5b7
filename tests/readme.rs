//! The README's commands, run: what it shows is what happens.

#[test]
fn the_readme_is_true() {
    trycmd::TestCases::new().case("README.md");
}
