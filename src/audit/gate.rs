//! Decides which judgements make an audit fail, for audits in continuous integration.
//!
//! Two settings: the required severity ([`FailOn`]) and a [`Baseline`], the judgements of an earlier audit. A judgement
//! no worse than in the baseline does not fail the audit.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use super::journal::{Record, records};
use super::judgement::{Judgement, Size, Verdict};
use crate::error::Error;

/// How bad a claim has to be. Each fails on whatever the one before fails on, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailOn {
    /// A false claim that is off by more than a thousandth.
    Gross,
    /// A false claim that is off by more than a rounding, and by more than what is negligible.
    #[default]
    Unsound,
    /// Any false claim.
    Rounding,
    /// Any false claim, and any answer that has failed.
    Failed,
}

impl FailOn {
    /// Is this judgement that bad?
    pub fn counts(self, judgement: &Judgement) -> bool {
        let unsound = judgement.verdict == Verdict::Unsound;
        match self {
            FailOn::Gross => unsound && judgement.size.is_none_or(|size| size == Size::Gross),
            FailOn::Unsound => judgement.is_unsound(),
            FailOn::Rounding => unsound,
            FailOn::Failed => unsound || judgement.verdict == Verdict::Failed,
        }
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailOn::Gross => "gross",
            FailOn::Unsound => "unsound",
            FailOn::Rounding => "rounding",
            FailOn::Failed => "failed",
        })
    }
}

/// How bad a judgement is: its class, and how far off it is within that.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Badness {
    class: u8,
    severity: f64,
}

impl Badness {
    fn of(judgement: &Judgement) -> Self {
        let class = match (judgement.verdict, judgement.size) {
            (Verdict::Unsound, Some(Size::Rounding)) => 2,
            (Verdict::Unsound, Some(Size::Negligible)) => 3,
            (Verdict::Unsound, Some(Size::Slight)) => 4,
            (Verdict::Unsound, Some(Size::Gross) | None) => 5,
            (Verdict::Failed, _) => 1,
            _ => 0,
        };
        Badness { class, severity: judgement.severity() }
    }

    /// Is it worse than that? A claim that is off by a hundredth more is; of roundings none is.
    fn is_worse_than(self, before: Badness) -> bool {
        const MORE: f64 = 1.01;
        self.class > before.class
            || (self.class == before.class && self.class >= 4 && self.severity > before.severity * MORE)
    }
}

/// The judgements of an earlier audit.
#[derive(Clone, Debug)]
pub struct Baseline {
    known: HashMap<String, Badness>,
}

impl Baseline {
    /// Read what `--out` or `--json` wrote. A last line without an end was cut off, and is passed over.
    ///
    /// # Errors
    /// [`Error::Input`] if the file cannot be read, has lines of another kind, or has no judgement.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let shown = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::input(format!("cannot read {shown}: {error}")))?;
        let mut known: HashMap<String, Badness> = HashMap::new();
        for record in records(path, &text)? {
            let Record::Judgement(judgement) = record else { continue };
            let found = Badness::of(&judgement);
            let before = known.entry(key(&judgement)).or_insert(found);
            if found.is_worse_than(*before) {
                *before = found;
            }
        }
        if known.is_empty() {
            return Err(Error::input(format!("{shown} contains no judgements to compare with")));
        }
        Ok(Baseline { known })
    }

    /// Was this as bad before?
    fn has(&self, judgement: &Judgement) -> bool {
        self.known.get(&key(judgement)).is_some_and(|before| !Badness::of(judgement).is_worse_than(*before))
    }
}

/// What makes two judgements about the same: who claimed what about which question. Neither versions nor ids do, for
/// the one is what changes, and the other is a name.
fn key(judgement: &Judgement) -> String {
    let at: Vec<String> =
        judgement.at.given().map(|(name, value)| format!("{name}={}", dpcert_vectors::hex_of_f64(value))).collect();
    format!(
        "{}\n{}\n{} {} {} {:?} {:?}",
        judgement.party.peer,
        judgement.party.api,
        judgement.quantity.name(),
        judgement.expression,
        at.join(","),
        judgement.direction,
        judgement.kind
    )
}

/// What an audit fails on.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// How bad a claim has to be.
    pub fail_on: FailOn,
    /// The earlier judgements.
    pub baseline: Option<Baseline>,
}

impl Gate {
    /// Does the audit fail on it?
    pub fn fails(&self, judgement: &Judgement) -> bool {
        self.fail_on.counts(judgement) && !self.knows(judgement)
    }

    /// Would it, if it were not known?
    pub fn forgives(&self, judgement: &Judgement) -> bool {
        self.fail_on.counts(judgement) && self.knows(judgement)
    }

    fn knows(&self, judgement: &Judgement) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| baseline.has(judgement))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::audit::judgement::{Party, Reason};
    use crate::audit::question::{Asked, At, Question, Step};

    fn judgement(sigma: f64, verdict: Verdict, size: Option<Size>, error: &str) -> Judgement {
        let party = Party { peer: "mine".into(), version: "1".into(), api: "-".into() };
        let steps = vec![Step::new("gaussian", &[("sigma", sigma)])];
        let mut judgement = Judgement::of(&party, &Question::new("q", Asked::Delta, steps, At::default()), verdict);
        (judgement.size, judgement.error) = (size, Some(error.to_string()));
        judgement.reason = (verdict == Verdict::Failed).then_some(Reason::Raised);
        judgement
    }

    /// One of each class, from harmless to gross.
    fn classes() -> [Judgement; 6] {
        [
            judgement(1.0, Verdict::Sound, None, "0"),
            judgement(1.0, Verdict::Failed, None, "1"),
            judgement(1.0, Verdict::Unsound, Some(Size::Rounding), "1e-16"),
            judgement(1.0, Verdict::Unsound, Some(Size::Negligible), "1"),
            judgement(1.0, Verdict::Unsound, Some(Size::Slight), "1e-4"),
            judgement(1.0, Verdict::Unsound, Some(Size::Gross), "0.5"),
        ]
    }

    #[test]
    fn each_threshold_counts_what_is_as_bad() {
        let counted = |fail_on: FailOn| classes().map(|judgement| fail_on.counts(&judgement));
        assert_eq!(counted(FailOn::Gross), [false, false, false, false, false, true]);
        assert_eq!(counted(FailOn::Unsound), [false, false, false, false, true, true]);
        assert_eq!(counted(FailOn::Rounding), [false, false, true, true, true, true]);
        assert_eq!(counted(FailOn::Failed), [false, true, true, true, true, true]);
    }

    fn baseline(judgements: &[Judgement], end: &str) -> Result<Baseline, Error> {
        let mut file = tempfile();
        for judgement in judgements {
            let line = serde_json::to_string(&Record::Judgement(Box::new(judgement.clone()))).expect("JSON");
            writeln!(file.1, "{line}").expect("written");
        }
        write!(file.1, "{end}").expect("written");
        let read = Baseline::read(&file.0);
        std::fs::remove_file(&file.0).expect("removed");
        read
    }

    fn tempfile() -> (std::path::PathBuf, std::fs::File) {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("dpcert-gate-{}-{}.jsonl", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let file = std::fs::File::create(&path).expect("a file");
        (path, file)
    }

    /// What is as bad as it was, or less bad, fails nothing; what is worse, or about another question, does.
    #[test]
    fn only_what_is_new_or_worse_fails() {
        let all = classes();
        for before in 0..all.len() {
            // A line that was cut off says nothing.
            let baseline = baseline(&all[before..=before], "{\"type\":\"judgement\",\"pe").expect("a baseline");
            let gate = Gate { fail_on: FailOn::Failed, baseline: Some(baseline) };
            for (now, judgement) in all.iter().enumerate() {
                assert_eq!(gate.fails(judgement), now > before && now > 0, "{before} {now}");
                assert_eq!(gate.forgives(judgement), now <= before && now > 0, "{before} {now}");
            }
            let other = judgement(2.0, Verdict::Unsound, Some(Size::Gross), "0.5");
            assert!(gate.fails(&other));
        }
        let gate = Gate {
            fail_on: FailOn::Unsound,
            baseline: Some(baseline(&[judgement(1.0, Verdict::Unsound, Some(Size::Gross), "0.5")], "").expect("one")),
        };
        assert!(gate.forgives(&judgement(1.0, Verdict::Unsound, Some(Size::Gross), "0.504")));
        assert!(gate.fails(&judgement(1.0, Verdict::Unsound, Some(Size::Gross), "0.51")));
        // Another version of the same program is compared.
        let mut later = judgement(1.0, Verdict::Unsound, Some(Size::Gross), "0.5");
        later.party.version = "2".into();
        assert!(gate.forgives(&later));
        later.party.api = "other".into();
        assert!(gate.fails(&later));
    }

    #[test]
    fn what_is_no_baseline_is_told() {
        let told = |end: &str| baseline(&[], end).expect_err("no baseline").to_string();
        assert!(told("").ends_with("contains no judgements to compare with"));
        assert!(told("{}\n").contains(":1: not a line written by `dpcert audit --out`"), "{}", told("{}\n"));
        assert!(Baseline::read(Path::new("/nowhere/judged.jsonl")).is_err());
    }
}
