//! `{name}` in a text.

use super::data::Names;

/// The names in a text, in order.
pub fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        names.push(name.to_string());
        rest = after;
    }
    names
}

/// The text with what stands for its names; a name that nothing stands for stays, and no parser takes it.
pub fn filled(text: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out += before;
        match after.split_once('}') {
            Some((name, after)) => {
                match names.get(name) {
                    Some(value) => out += value,
                    None => out = out + "{" + name + "}",
                }
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in() {
        let given = Names::from([("n".to_string(), "9".to_string())]);
        assert_eq!(filled("a({n})^{n} {m} {n", &given), "a(9)^9 {m} {n");
        assert_eq!(names("a({n})^{n} {m} {n"), ["n", "n", "m"]);
    }
}
