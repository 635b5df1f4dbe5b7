//! What papers say, for the library: theorems by name, accounts side by side, limit theorems, functions of private
//! bits, regions of composition, antipodal pairs. It is there with the feature `cli`, which is on by default.
//!
//! Each is a question like any other: the command of its name asks the same, and so does a line of JSON.

mod antipodal;
mod region;
pub(crate) mod statements;

use std::fmt;

use crate::answer::Outcome;
use crate::approximate::{Approximation, Claim, Theorem as Named};
use crate::compare::{Comparison, Goal, Missing, Row};
use crate::curve::Value;
use crate::error::Error;
use crate::number::{Fraction, Interval};
use crate::print::{Bits, Game, Stated};
use crate::query::{Quantity, Query};
use crate::statement::Statement;
use crate::theorem::catalogue::{ALL, Entry};
use crate::theorem::guarantee::Nearby;
use crate::theorem::multiparty::Observer;
use enclosure::{Budget, Real, Reason};

pub use self::antipodal::{Antipodal, antipodal};
pub use self::region::{Formulas, region, symbolic};
pub use crate::compare::Standing;

/// A theorem by its name: a bound of a composition, a conversion, a rule for noise. It has its source, what it says,
/// and the numbers that it takes, whose hypotheses are checked.
///
/// Here `rho + 2 sqrt(rho ln(1/delta))`, the epsilon at delta of rho-zCDP by Bun and Steinke 2016, Proposition 1.3, in
/// natural logarithms as everywhere, and the best of all orders of Canonne, Kamath and Steinke 2020, Corollary 13, with
/// that order:
///
/// ```
/// use dpcert::{Budget, Error, Outcome, Real, Theorem};
///
/// let given = [("rho", "1/2".parse::<Real>()?), ("delta", "1e-5".parse()?)];
/// let simple = Theorem::named("BS-1.3")?.says_of(&given, 10, &Budget::default())?;
/// let [("epsilon", Outcome::Enclosure(epsilon))] = &simple[..] else { return Err("one number".into()) };
/// assert_eq!(epsilon.upper(6), "5.29853");
/// let best = Theorem::named("CKS-13")?.says_of(&given, 10, &Budget::default())?;
/// let [("epsilon", epsilon), ("order", order)] = &best[..] else { return Err("two numbers".into()) };
/// assert!(epsilon.upper_f64() <= Some(4.728387) && order.upper_f64() <= Some(5.43185));
/// // A hypothesis that fails is told, with the value that it has.
/// let given = [("epsilon", "2".parse()?), ("delta", "1e-5".parse()?), ("times", "10".parse()?)];
/// let refused = Theorem::named("KOV-4.1")?.says_of(&given, 10, &Budget::default());
/// assert!(matches!(refused, Err(Error::Undefined(why)) if why == "epsilon <= 9/10 is needed, and epsilon = 2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Theorem(&'static Entry);

impl fmt::Debug for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Theorem({})", self.0.usage())
    }
}

impl Theorem {
    /// All that there are.
    pub fn all() -> impl Iterator<Item = Theorem> {
        ALL.iter().map(Theorem)
    }

    /// The theorem of this name, such as `KOV-3.4` or `CKS-13`.
    ///
    /// # Errors
    /// [`Error::Input`] where there is none.
    pub fn named(name: &str) -> Result<Theorem, Error> {
        Stated::find(name).map(Theorem)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0.id
    }

    /// The paper, and its number there.
    ///
    /// ```
    /// use dpcert::Theorem;
    ///
    /// let theorem = Theorem::named("kov-3.4")?;
    /// assert_eq!(theorem.source(), "Kairouz, Oh, Viswanath, Theorem 3.4");
    /// assert_eq!(format!("{theorem:?}"), "Theorem(KOV-3.4 epsilon=... delta=0 times=... slack=...)");
    /// assert!(Theorem::all().any(|other| other.name() == "DR-1.1" && other.parameters().len() == 4));
    /// # Ok::<(), dpcert::Error>(())
    /// ```
    pub fn source(&self) -> &'static str {
        self.0.source
    }

    /// What it says, in one line.
    pub fn says(&self) -> &'static str {
        self.0.says
    }

    /// The numbers that it takes, each with its default where it has one.
    pub fn parameters(&self) -> &'static [(&'static str, Option<&'static str>)] {
        self.0.parameters
    }

    /// What it says of numbers, each by its name and to so many digits.
    ///
    /// # Errors
    /// [`Error::Input`] for numbers that it lacks or does not take, [`Error::Undefined`] with the hypothesis that
    /// fails, [`Error::Undecided`] beyond the budget.
    pub fn says_of(
        &self,
        given: &[(&str, Real)],
        digits: u32,
        budget: &Budget,
    ) -> Result<Vec<(&'static str, Outcome)>, Error> {
        Query::check_digits(digits)?;
        let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        Stated { entry: self.0, given: self.0.given(given)?, digits }.answer(budget)
    }
}

/// What one account says of a composition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Account {
    /// Its name.
    pub name: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// Whether its number is a bound, an approximation or the truth.
    pub standing: Standing,
    /// The number, or the reason why there is none.
    pub outcome: Outcome,
    /// An enclosure of the best order of a conversion of Renyi divergences, where it is at that.
    pub order: Option<Interval>,
    /// The delta that was given to each step without an epsilon of its own.
    pub step_delta: Option<Real>,
}

/// What the accounts say of the epsilon or the delta that a query asks for, the exact number last.
///
/// | account | says | is |
/// |---|---|---|
/// | basic composition | Kairouz, Oh, Viswanath (KOV), Theorem 3.1: `(sum epsilon_i, sum delta_i)` | a bound |
/// | advanced, refined | KOV, Theorem 3.2; Dwork, Rothblum, Theorem 1.1 | bounds |
/// | simplified, different steps, high privacy | KOV, Theorem 3.4, Theorem 3.5, equation (8) | bounds |
/// | optimal composition | KOV, Theorem 3.3; Murtagh, Vadhan, Theorem 1.5 | a bound |
/// | Gaussian noise, simplified | KOV, Appendix B | a bound |
/// | CDP | Dwork, Rothblum, Corollary 3.1, and their composition of (mu, tau) | a bound |
/// | zCDP, and at the best order | Bun, Steinke 2016; Canonne, Kamath, Steinke 2020, Corollary 13 | bounds |
/// | RDP, by Markov's inequality | Mironov 2017, Proposition 3 | a bound |
/// | RDP, by a tangent | Asoodeh et al. 2020, Lemma 1 | a bound |
/// | RDP, best order | Canonne, Kamath, Steinke 2020, Proposition 12 | a bound |
/// | central limit theorem | Dong, Roth, Su, Theorem 3.5; Bu, Dong, Long, Su 2020 for samples | an approximation |
/// | Berry-Esseen, upper bound | Dong, Roth, Su, Theorem 3.4 | a bound |
/// | Edgeworth expansions | Wang, Gao, Zhang, Su, Shen 2022 | approximations |
///
/// Steps enter the first rows by an epsilon and a delta of their own ([`Account::step_delta`] where that was chosen).
/// Equation (8) is printed for `epsilon <= 9/10` and holds for every epsilon; the sufficient variances that KOV,
/// Appendix B, derives from its condition do not (claims KOV-8 and E-2 in `proofs/claims.md`), and are not used.
///
/// ```
/// use dpcert::{Budget, Quantity, Query, Standing, compare};
///
/// let training = "gaussian(sigma=4)^10".parse()?;
/// let query = Query::new(Quantity::Epsilon { delta: "1e-5".parse()? }, training).with_digits(6);
/// let accounts = compare(&query, &Budget::default())?;
/// let Some((exact, others)) = accounts.split_last() else { return Err("none".into()) };
/// assert_eq!(exact.standing, Standing::Exact);
/// let renyi = others.iter().find(|account| account.name == "RDP, best order").ok_or("no such account")?;
/// assert_eq!(renyi.standing, Standing::Bound);
/// assert!(renyi.outcome.lower_f64() > exact.outcome.upper_f64());
/// assert_eq!(renyi.order.as_ref().map(|order| order.upper(3)), Some("6.56".to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for another quantity, another direction than the worst, and a point out of range. What is undefined
/// or undecided of an account is its outcome.
pub fn compare(query: &Query, budget: &Budget) -> Result<Vec<Account>, Error> {
    let query = query.clone().checked()?;
    let goal = match &query.quantity {
        Quantity::Epsilon { delta } => Goal::Epsilon { delta: delta.clone() },
        Quantity::Delta { epsilon } => Goal::Delta { epsilon: epsilon.clone() },
        other => {
            return Err(Error::input(format!(
                "accounts are compared at a delta or an epsilon, not for {}",
                other.name()
            )));
        }
    };
    if query.direction != crate::curve::Direction::Worst {
        return Err(Error::input("accounts are of the worst direction"));
    }
    let digits = query.digits;
    let asked = Comparison { composition: query.mechanism, goal, digits, nearby: Nearby::default() };
    Ok(asked.rows(budget)?.into_iter().map(|row| account(row, digits)).collect())
}

fn account(row: Row, digits: u32) -> Account {
    let Row { account: name, source, standing, value, step_delta, order, cause: _ } = row;
    let outcome = match value {
        Ok(value) => outcome(value, digits, Some(&"its share of the budget ended".into())),
        Err(Missing::Undefined(reason)) => Outcome::Undefined(reason),
        Err(Missing::Undecided(reason)) => Outcome::Undecided(reason),
    };
    Account { name, source, standing, outcome, order: order.map(Interval::from), step_delta }
}

/// A number; one of fewer digits than were asked for with the reason.
fn outcome(value: Value, digits: u32, reason: Option<&Reason>) -> Outcome {
    let number = match value {
        Value::Infinite => return Outcome::Infinite,
        Value::Finite(number) => number,
    };
    match (Outcome::of(number), reason) {
        (Outcome::Enclosure(proven), Some(reason)) if proven.digits() < digits => {
            Outcome::Short { proven, reason: reason.clone() }
        }
        (outcome, _) => outcome,
    }
}

/// A theorem about long compositions, shuffled reports, or the last iterate of gradient descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The central limit theorem: `G_mu`, and no bound.
    ///
    /// `mu = 2 sum kl/sqrt(sum (kappa_2 - kl^2))` (Dong, Roth, Su, Theorem 3.5, normalised as in 3.4; Su 2024, Section
    /// 3, prints it with `sum kappa_2` under the root); `mu^2 = sum epsilon^2` with the failure `1 - e^(-sum delta)`
    /// for (epsilon, delta) mechanisms (Theorem 3.6); `mu^2 = sum r^2 chi^2` for Poisson samples (Bu, Dong, Long,
    /// Su 2020) and `2 sum r^2 chi^2_+` for samples of a fixed size (Section 5), for which Su 2024, Section 4.1, prints
    /// the former.
    Central,
    /// Bounds on both sides of that limit: `G_mu(alpha + gamma) - gamma <= f(alpha) <= G_mu(alpha - gamma) + gamma`,
    /// `gamma = 0.56 sum kappa_3-bar/V^(3/2)`, `V = sum (kappa_2 - kl^2)`, for symmetric factors and `gamma < 1/2`
    /// (Dong, Roth, Su, Theorem 3.4).
    ///
    /// Printed for `gamma <= alpha <= 1 - gamma`; with `G_mu` continued by 1 and 0 it holds for all alpha. For a single
    /// step gamma is never below 1/2.
    BerryEsseen,
    /// Bounds on both sides at a distance of order `1/n`, of n runs of one (epsilon, delta) mechanism: those of
    /// `BerryEsseen` with c/n for gamma and `mu = epsilon sqrt(n)` (Dong, Roth, Su, Theorem 3.7).
    ///
    /// The paper does not say which c; here it is a number that is proven, for every alpha.
    Rate,
    /// That limit with corrections by cumulants up to an order of at most 3: no bound (Wang, Gao, Zhang, Su, Shen 2022;
    /// Su 2024, Section 3.2). The terms of lattices are left out, as in the paper.
    Edgeworth {
        /// The order.
        order: u32,
    },
    /// An upper bound for n shuffled reports, `a = e^epsilon0`:
    /// `epsilon = ln(1 + (a-1)/(a+1) (8 sqrt(a ln(4/delta)/n) + 8 a/n))` for `epsilon0 <= ln(n/(16 ln(2/delta)))`
    /// (Feldman, McMillan, Talwar 2022, Theorem 3.1).
    Clones,
    /// A smaller one: `epsilon = ln(1 + (a-1) (4 sqrt(2 ln(4/delta)/((a+1) n)) + 4/n))` for `epsilon0 <= ln(n/(8
    /// ln(2/delta)) - 1)` (Feldman, McMillan, Talwar 2023, Theorem 1.1), for the local mechanisms of its erratum.
    ///
    /// Su 2024 prints numbers of it as Renyi differential privacy (Table 2), and epsilon0 where its hypothesis fails
    /// (Table 3).
    StrongerClones,
    /// An upper bound for noisy cyclic gradient descent: its shifted Renyi divergences are at most `rho alpha` at each
    /// order alpha, which is rho-zCDP, converted at the best order by Canonne, Kamath and Steinke 2020, Corollary 13
    /// (Su 2024, Table 1, column "Renyi").
    ShiftedRenyi,
}

/// What such a theorem says of a quantity, beside what is so.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Approximated {
    /// On no known side.
    pub approximation: Option<Outcome>,
    /// At most the truth.
    pub lower: Option<Outcome>,
    /// At least the truth.
    pub upper: Option<Outcome>,
    /// The truth; nothing where the theorem is about another mechanism than the one that was asked about.
    pub exact: Option<Outcome>,
    /// The parameters of the theorem by name, such as the mu of the limit.
    pub parameters: Vec<(&'static str, Interval)>,
    /// What it rests on.
    pub statement: &'static Statement,
}

/// What a limit theorem says of the delta, epsilon or beta that a query asks for; which statement of which paper it is,
/// and where its print differs, stands at each [`Limit`].
///
/// ```
/// use dpcert::{Budget, Limit, Quantity, Query, approximate};
///
/// let many = "randomized-response(epsilon=0.1)^100".parse()?;
/// let query = Query::new(Quantity::Beta { alpha: "0.1".parse()? }, many).with_digits(6);
/// let found = approximate(&query, Limit::BerryEsseen, &Budget::default())?;
/// let number = |end: &Option<dpcert::Outcome>| end.as_ref().and_then(|end| end.upper_f64());
/// assert!(number(&found.lower) < number(&found.exact) && number(&found.exact) < number(&found.upper));
/// // An expansion is no bound.
/// let found = approximate(&query, Limit::Edgeworth { order: 2 }, &Budget::default())?;
/// assert!(found.approximation.is_some() && found.upper.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for what the theorem is not about, [`Error::Undefined`] with the hypothesis that fails,
/// [`Error::Undecided`] beyond the budget.
pub fn approximate(query: &Query, limit: Limit, budget: &Budget) -> Result<Approximated, Error> {
    let (theorem, order) = match limit {
        Limit::Central => (Named::Clt, None),
        Limit::BerryEsseen => (Named::BerryEsseen, None),
        Limit::Rate => (Named::CltRate, None),
        Limit::Edgeworth { order } => (Named::Edgeworth, Some(order)),
        Limit::Clones => (Named::Clones, None),
        Limit::StrongerClones => (Named::StrongerClones, None),
        Limit::ShiftedRenyi => (Named::ShiftedRenyi, None),
    };
    let asked = Approximation { theorem, order, form: None, alone: false, query: query.clone() }.checked()?;
    let found = asked.answer(budget)?;
    let reason = found.short.as_ref().map(|(_, reason)| reason);
    let said = |value| Some(outcome(value, query.digits, reason));
    let (approximation, lower, upper) = match found.said.what {
        Claim::Approximation(value) => (said(value), None, None),
        Claim::Between([low, high]) => (None, said(low), said(high)),
        Claim::Below(value) => (None, None, said(value)),
    };
    let parameters = found.said.parameters.into_iter().map(|(name, set)| (name, Interval::from(set))).collect();
    Ok(Approximated { approximation, lower, upper, exact: found.exact, parameters, statement: asked.statement() })
}

/// How well a function of private bits is computed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accuracy {
    /// The largest probability of a right guess.
    pub outcome: Outcome,
    /// That of a guess without the transcript.
    pub blind: Fraction,
    /// It as a function of `x = e^epsilon`, where all parties have one epsilon and no delta.
    pub formula: Option<String>,
}

/// The best accuracy with which an observer decides a function of private bits, one of each party, who publishes what
/// is (epsilon, delta)-private in it: by Kairouz, Oh and Viswanath, Theorem 5.1, one draw of randomised response of
/// each is optimal for every function, every score and every observer, on average and at the worst bits.
///
/// The function is `xor`, `and`, `or`, `majority`, or the table of its values at 00, 01, 10, 11, ...; each party has an
/// epsilon and a delta. With uniform bits it is `2^-k sum over transcripts t of max over y of sum over x with f(x) = y
/// of P(t | x)`, of `xor` `(1 + prod r_i)/2` with `r_i = delta_i + (1-delta_i) tanh(epsilon_i/2)`; at the worst bits it
/// is the value of a game between the rule and the bits, a linear program. The paper has the theorem for scores of any
/// kind; here a right guess counts 1 and a wrong one 0.
///
/// ```
/// use dpcert::{Bits, Budget, Observer, Outcome, Real, accuracy};
///
/// let party = ("ln(3)".parse::<Real>()?, "0".parse::<Real>()?);
/// let parties = [party.clone(), party.clone(), party];
/// let found = accuracy("xor", &parties, Observer::Central, Bits::Average, 15, &Budget::default())?;
/// let Outcome::Exact(best) = found.outcome else { return Err("not exact".into()) };
/// // (1 + (1/2)^3)/2.
/// assert_eq!((best.to_string(), found.blind.to_string()), ("9/16".to_string(), "1/2".to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for what is no function of so many bits, or no party; [`Error::Undefined`] for an epsilon below 0
/// or a delta outside `[0, 1]`; [`Error::Undecided`] beyond the budget.
pub fn accuracy(
    function: &str,
    parties: &[(Real, Real)],
    observer: Observer,
    bits: Bits,
    digits: u32,
    budget: &Budget,
) -> Result<Accuracy, Error> {
    Query::check_digits(digits)?;
    let observer = match observer {
        Observer::Central => 0,
        Observer::Party(0) => return Err(Error::input("parties are counted from 1")),
        Observer::Party(party) => party,
    };
    let (epsilons, deltas) = parties.iter().cloned().unzip();
    let game = Game::new((function, Some(parties.len())), epsilons, deltas, observer, bits, digits)?;
    let found = game.answer(budget)?;
    let formula = found.formula.as_ref().map(ToString::to_string);
    Ok(Accuracy { outcome: found.outcome, blind: Fraction::new(found.blind), formula })
}
