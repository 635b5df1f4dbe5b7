//! A claim: one checkable statement of a paper, as a record.

use super::check::Check;

/// Where a statement is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Kairouz, Oh, Viswanath, *The Composition Theorem for Differential Privacy*.
    Kov,
    /// Dong, Roth, Su, *Gaussian Differential Privacy*.
    Drs,
    /// Dwork, Rothblum, *Concentrated Differential Privacy*.
    Dr,
    /// Smith, Thakurta, *Fully Adaptive Composition for Gaussian Differential Privacy*.
    St,
    /// Su, *A Statistical Viewpoint on Differential Privacy*.
    Su,
    /// Papers that these five rest on: Murtagh-Vadhan, Bun-Steinke, Canonne-Kamath-Steinke, Awan-Vadhan,
    /// Geng-Viswanath.
    Auxiliary,
}

impl Paper {
    /// All of them, in the order of the ledger.
    pub const ALL: [Paper; 6] = [Paper::Kov, Paper::Drs, Paper::Dr, Paper::St, Paper::Su, Paper::Auxiliary];

    /// Authors and title.
    pub fn title(self) -> &'static str {
        match self {
            Paper::Kov => "Kairouz, Oh, Viswanath: The Composition Theorem for Differential Privacy",
            Paper::Drs => "Dong, Roth, Su: Gaussian Differential Privacy",
            Paper::Dr => "Dwork, Rothblum: Concentrated Differential Privacy",
            Paper::St => "Smith, Thakurta: Fully Adaptive Composition for Gaussian Differential Privacy",
            Paper::Su => "Su: A Statistical Viewpoint on Differential Privacy",
            Paper::Auxiliary => {
                "Foundations: Murtagh-Vadhan, Bun-Steinke, Canonne-Kamath-Steinke, Awan-Vadhan, Geng-Viswanath"
            }
        }
    }
}

/// A statement, and how it is checked.
#[derive(Clone, Copy)]
pub struct Claim {
    /// Its name: the paper's short name and the statement's number there.
    pub id: &'static str,
    /// The paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: &'static str,
    /// The statement.
    pub says: &'static str,
    /// For which parameters.
    pub domain: &'static str,
    /// Abbreviations in the formulas of the check, each with what it stands for.
    pub with: &'static [(&'static str, &'static str)],
    /// Of what a proof of the check proves the statement.
    pub scope: Scope,
    /// The check.
    pub check: Check,
    /// What the check is, in a line: which computation is held against which.
    pub how: &'static str,
    /// The known error of the printed statement.
    pub fault: Option<Fault>,
}

impl Claim {
    /// An empty record of a paper, for what most of its claims have in common.
    pub const fn of(paper: Paper) -> Claim {
        Claim {
            id: "",
            paper,
            place: "",
            says: "",
            domain: "",
            with: &[],
            scope: Scope::General,
            check: Check::All(&[]),
            how: "",
            fault: None,
        }
    }
}

/// How much of a statement its check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The statement, for the parameters of the domain.
    General,
    /// A general statement, for this class of what it is about.
    Class(&'static str),
    /// Single numbers.
    Numbers,
}

/// Error of a printed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How wrong it is.
    pub kind: FaultKind,
    /// The error, in one line.
    pub what: &'static str,
    /// The claim that says what is right.
    pub corrected: &'static str,
}

/// How wrong a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The intended statement is true, but misprinted.
    Misprint,
    /// The intended statement is false for some parameters of its domain.
    False,
}

impl FaultKind {
    /// A word for it.
    pub fn word(self) -> &'static str {
        match self {
            FaultKind::Misprint => "misprinted",
            FaultKind::False => "false",
        }
    }
}
