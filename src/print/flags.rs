//! What would help, in the flags of this program. The library names budgets and methods; here they get their flags.

use crate::error::Error;
use enclosure::{Hint, Limit, Reason};

/// A reason with the flags that would help.
pub fn with_flags(reason: &Reason) -> String {
    reason.worded(|before, hint| match hint {
        Hint::More(limit) => match flag(limit) {
            Some(flag) if before.ends_with('(') => format!("raise it with {flag}; "),
            Some(flag) => format!(" (raise it with {flag})"),
            None => String::new(),
        },
        Hint::Method(name) => format!("--method {name}"),
        _ => String::new(),
    })
}

/// An error, with the flags that would help.
pub fn in_flags(error: &Error) -> String {
    match error {
        Error::Undecided(reason) => Error::undecided(with_flags(reason)).to_string(),
        other => other.to_string(),
    }
}

/// The flag that sets a budget.
fn flag(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::Time => Some("--timeout"),
        Limit::Work => Some("--work"),
        Limit::Precision => Some("--max-bits"),
        Limit::Memory => Some("--max-memory"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use enclosure::{Budget, Need, Work};

    use super::*;

    /// Each flag that a message names is one that the program has.
    #[test]
    fn budgets_have_flags() {
        let budget = Budget::new(64, Some(Duration::ZERO)).with_max_bytes(2_000_000);
        let work = Need { what: "places", count: 10, most: 20, bytes: 3_000_000, relax: "fewer would do" };
        let told = |result: Result<(), Error>| result.map_err(|error| in_flags(&error)).expect_err("too much");
        assert_eq!(told(budget.check()), "undecided: the time budget of 0 s ran out (raise it with --timeout)");
        let impatient = Budget::new(64, Some(Duration::from_secs(3600))).patient(Work::NONE);
        assert_eq!(told(impatient.check()), "undecided: the default work of 0e0 units ran out (raise it with --work)");
        assert_eq!(
            told(budget.afford(&work)),
            "undecided: this needs 10 places in about 3 MB, but the memory budget is 2 MB (raise it with \
             --max-memory); fewer would do"
        );
        assert_eq!(
            in_flags(&budget.out_of_bits()),
            "undecided: the precision budget of 64 bits ran out (raise it with --max-bits)"
        );
        // The library itself names no flag.
        for error in [budget.check(), budget.afford(&work), Err(budget.out_of_bits())] {
            assert!(!error.expect_err("too much").to_string().contains("--"));
        }
    }

    #[test]
    fn flags_share_the_parentheses_of_other_advice() {
        let reason = Reason::from("3 s are left (").hint(Hint::More(Limit::Time)).then("fewer digits, or ");
        let reason = reason.hint(Hint::Method("grid")).then(", would do)");
        assert_eq!(reason.to_string(), "3 s are left (fewer digits, or the method grid, would do)");
        assert_eq!(
            with_flags(&reason),
            "3 s are left (raise it with --timeout; fewer digits, or --method grid, would do)"
        );
    }
}
