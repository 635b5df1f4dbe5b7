//! Expressions in headings: long ones are abbreviated.

/// Largest number of characters of an expression that a heading shows in full.
const LONGEST: usize = 200;

/// Largest number of characters that are kept of the start of a longer expression.
const START: usize = 120;

/// Largest number of characters that are kept of its end.
const END: usize = 60;

/// The expression, or its first and its last mechanisms and the number of those between them. Where one mechanism alone
/// is too long, its first and its last characters stand for it.
pub(super) fn abbreviated(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    let factors = factors(text);
    let first = fitting(factors.iter(), START);
    let last = fitting(factors.iter().rev(), END).min(factors.len() - first);
    if first == 0 || first + last == factors.len() {
        let start: String = text.chars().take(START).collect();
        let count = text.chars().count();
        let end: String = text.chars().skip(count - END).collect();
        return format!("{start} ... {end} ({count} characters)");
    }
    let (start, end) = (&factors[..first], &factors[factors.len() - last..]);
    let between = format!("({} more)", factors.len() - first - last);
    [start, &[between.as_str()], end].concat().join(" * ")
}

/// Number of factors that fit into `room` characters.
fn fitting<'a>(factors: impl Iterator<Item = &'a &'a str>, room: usize) -> usize {
    let lengths = factors.scan(0, |used, factor| {
        *used += factor.chars().count() + " * ".len();
        Some(*used)
    });
    lengths.take_while(|used| *used <= room).count()
}

/// The mechanisms of a composition: the texts between the `*` outside of all brackets.
fn factors(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '*' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_fits_a_heading() {
        let longest = "x".repeat(LONGEST);
        assert_eq!(abbreviated(&longest), longest);
        assert_eq!(abbreviated("gaussian(sigma=1)^10 * laplace(scale=2)"), "gaussian(sigma=1)^10 * laplace(scale=2)");
    }

    #[test]
    fn counts_the_mechanisms_it_leaves_out() {
        let steps: Vec<String> = (100..400).map(|sigma| format!("gaussian(sigma={sigma}*(1/100))")).collect();
        let short = abbreviated(&steps.join(" * "));
        let shown = short.matches("gaussian").count();
        assert!(
            short.starts_with("gaussian(sigma=100*(1/100)) * ") && short.ends_with(" * gaussian(sigma=399*(1/100))")
        );
        assert!(short.contains(&format!("* ({} more) *", 300 - shown)), "{short}");
        assert!(short.chars().count() <= LONGEST, "{short}");
    }

    #[test]
    fn cuts_one_long_mechanism() {
        let long = format!("finite(p=[{}], q=[1])", vec!["1/7"; 100].join(","));
        let short = abbreviated(&long);
        assert!(short.starts_with("finite(p=[1/7,") && short.ends_with(&format!("q=[1]) ({} characters)", long.len())));
        assert!(short.chars().count() <= LONGEST + " ... (100 characters)".len(), "{short}");
    }
}
