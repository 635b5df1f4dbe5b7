//! Published results for the library: theorems by name, comparison of accounting methods, limit theorems, functions of
//! private bits, regions of composition, antipodal pairs. Needs the feature `cli`, which is on by default.
//!
//! Each function has a command of the same name and a JSON query.

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

/// A published theorem: a composition bound, a conversion, or a rule for noise. It has a source, a statement and
/// parameters, and its hypotheses are checked.
///
/// The example evaluates `rho + 2 sqrt(rho ln(1/delta))`, the epsilon at delta of rho-zCDP (Bun and Steinke 2016,
/// Proposition 1.3; logarithms are natural), and the conversion of Canonne, Kamath and Steinke 2020, Corollary 13, at
/// its best order:
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
/// // A failing hypothesis is reported with the value.
/// let given = [("epsilon", "2".parse()?), ("delta", "1e-5".parse()?), ("times", "10".parse()?)];
/// let refused = Theorem::named("KOV-4.1")?.says_of(&given, 10, &Budget::default());
/// assert!(matches!(refused, Err(Error::Undefined(why)) if why == "epsilon <= 9/10 is required, but epsilon = 2"));
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
    /// All theorems.
    pub fn all() -> impl Iterator<Item = Theorem> {
        ALL.iter().map(Theorem)
    }

    /// The theorem with this name, such as `KOV-3.4` or `CKS-13`.
    ///
    /// # Errors
    /// [`Error::Input`] for an unknown name.
    pub fn named(name: &str) -> Result<Theorem, Error> {
        Stated::find(name).map(Theorem)
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.0.id
    }

    /// The paper, and the number of the theorem in it.
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

    /// The statement, in one line.
    pub fn says(&self) -> &'static str {
        self.0.says
    }

    /// The parameters, each with its default if it has one.
    pub fn parameters(&self) -> &'static [(&'static str, Option<&'static str>)] {
        self.0.parameters
    }

    /// Evaluate the theorem at these parameters, to `digits` digits. Returns each result with its name.
    ///
    /// # Errors
    /// [`Error::Input`] for missing or unknown parameters, [`Error::Undefined`] with the hypothesis that fails,
    /// [`Error::Undecided`] if the budget runs out.
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

/// Result of one accounting method for a composition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Account {
    /// Name of the accounting method.
    pub name: &'static str,
    /// Source of the method.
    pub source: &'static str,
    /// Whether the number is a bound, an approximation or exact.
    pub standing: Standing,
    /// The number, or the reason why there is none.
    pub outcome: Outcome,
    /// Best order of a conversion from Renyi divergences, if the method optimises the order.
    pub order: Option<Interval>,
    /// Delta that was assigned to each step that has no epsilon by itself.
    pub step_delta: Option<Real>,
}

/// Compare accounting methods for the epsilon or delta of a query; the exact number comes last.
///
/// | account | source | standing |
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
/// The first rows use one epsilon and one delta for each step ([`Account::step_delta`] if the delta was chosen).
/// Equation (8) is printed for `epsilon <= 9/10` but holds for every epsilon. The sufficient variances that KOV,
/// Appendix B, derives from its condition do not hold (claims KOV-8 and E-2 in `proofs/claims.md`) and are not used.
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
/// [`Error::Input`] for another quantity, a direction other than worst, or a point out of range. If a method is
/// undefined or undecided, that is its outcome.
pub fn compare(query: &Query, budget: &Budget) -> Result<Vec<Account>, Error> {
    let query = query.clone().checked()?;
    let goal = match &query.quantity {
        Quantity::Epsilon { delta } => Goal::Epsilon { delta: delta.clone() },
        Quantity::Delta { epsilon } => Goal::Delta { epsilon: epsilon.clone() },
        other => {
            return Err(Error::input(format!(
                "accounting methods are compared for epsilon or delta, not for {}",
                other.name()
            )));
        }
    };
    if query.direction != crate::curve::Direction::Worst {
        return Err(Error::input("accounting methods are compared in the worst direction only"));
    }
    let digits = query.digits;
    let asked = Comparison { composition: query.mechanism, goal, digits, nearby: Nearby::default() };
    Ok(asked.rows(budget)?.into_iter().map(|row| account(row, digits)).collect())
}

fn account(row: Row, digits: u32) -> Account {
    let Row { account: name, source, standing, value, step_delta, order, cause: _ } = row;
    let outcome = match value {
        Ok(value) => outcome(value, digits, Some(&"its share of the time limit ran out".into())),
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

/// Limit theorem or asymptotic bound for long compositions, shuffled reports, or the last iterate of gradient descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Central limit theorem: the approximation `G_mu`, not a bound.
    ///
    /// `mu = 2 sum kl/sqrt(sum (kappa_2 - kl^2))` (Dong, Roth, Su, Theorem 3.5, normalised as in 3.4; Su 2024, Section
    /// 3, prints it with `sum kappa_2` under the root); `mu^2 = sum epsilon^2` with the failure `1 - e^(-sum delta)`
    /// for (epsilon, delta) mechanisms (Theorem 3.6); `mu^2 = sum r^2 chi^2` for Poisson samples (Bu, Dong, Long,
    /// Su 2020) and `2 sum r^2 chi^2_+` for samples of a fixed size (Section 5), for which Su 2024, Section 4.1, prints
    /// the former.
    Central,
    /// Lower and upper bounds around that limit: `G_mu(alpha + gamma) - gamma <= f(alpha) <= G_mu(alpha - gamma) +
    /// gamma`, `gamma = 0.56 sum kappa_3-bar/V^(3/2)`, `V = sum (kappa_2 - kl^2)`, for symmetric factors and `gamma <
    /// 1/2` (Dong, Roth, Su, Theorem 3.4).
    ///
    /// The paper states it for `gamma <= alpha <= 1 - gamma`; with `G_mu` continued by 1 and 0 it holds for all alpha.
    /// For a single step gamma is at least 1/2.
    BerryEsseen,
    /// Lower and upper bounds at a distance of order `1/n`, for n runs of one (epsilon, delta) mechanism: those of
    /// `BerryEsseen` with gamma = c/n and `mu = epsilon sqrt(n)` (Dong, Roth, Su, Theorem 3.7).
    ///
    /// The paper does not give c; dpcert uses a proven value that holds for every alpha.
    Rate,
    /// Edgeworth expansion, with cumulant corrections up to an order of at most 3: an approximation, not a bound (Wang,
    /// Gao, Zhang, Su, Shen 2022; Su 2024, Section 3.2). Lattice terms are omitted, as in the paper.
    Edgeworth {
        /// Order of the expansion, at most 3.
        order: u32,
    },
    /// Upper bound for n shuffled reports, `a = e^epsilon0`:
    /// `epsilon = ln(1 + (a-1)/(a+1) (8 sqrt(a ln(4/delta)/n) + 8 a/n))` for `epsilon0 <= ln(n/(16 ln(2/delta)))`
    /// (Feldman, McMillan, Talwar 2022, Theorem 3.1).
    Clones,
    /// Smaller upper bound for n shuffled reports: `epsilon = ln(1 + (a-1) (4 sqrt(2 ln(4/delta)/((a+1) n)) + 4/n))`
    /// for `epsilon0 <= ln(n/(8 ln(2/delta)) - 1)` (Feldman, McMillan, Talwar 2023, Theorem 1.1), for the local
    /// mechanisms of its erratum.
    ///
    /// Su 2024 labels values of this bound as Renyi differential privacy (Table 2), and prints epsilon0 where its
    /// hypothesis fails (Table 3).
    StrongerClones,
    /// Upper bound for noisy cyclic gradient descent: its shifted Renyi divergences are at most `rho alpha` at each
    /// order alpha, which is rho-zCDP, converted at the best order by Canonne, Kamath and Steinke 2020, Corollary 13
    /// (Su 2024, Table 1, column "Renyi").
    ShiftedRenyi,
}

/// Value of a limit theorem for a quantity, with the exact value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Approximated {
    /// An approximation that may be too small or too large.
    pub approximation: Option<Outcome>,
    /// A lower bound.
    pub lower: Option<Outcome>,
    /// An upper bound.
    pub upper: Option<Outcome>,
    /// The exact value; `None` if the theorem is about another mechanism than that of the query.
    pub exact: Option<Outcome>,
    /// Parameters of the theorem by name, such as the mu of the limit.
    pub parameters: Vec<(&'static str, Interval)>,
    /// The theorem.
    pub statement: &'static Statement,
}

/// Evaluate a limit theorem for the delta, epsilon or beta of a query. Each [`Limit`] documents its source and where
/// the printed statement differs.
///
/// ```
/// use dpcert::{Budget, Limit, Quantity, Query, approximate};
///
/// let many = "randomized-response(epsilon=0.1)^100".parse()?;
/// let query = Query::new(Quantity::Beta { alpha: "0.1".parse()? }, many).with_digits(6);
/// let found = approximate(&query, Limit::BerryEsseen, &Budget::default())?;
/// let number = |end: &Option<dpcert::Outcome>| end.as_ref().and_then(|end| end.upper_f64());
/// assert!(number(&found.lower) < number(&found.exact) && number(&found.exact) < number(&found.upper));
/// // An expansion is not a bound.
/// let found = approximate(&query, Limit::Edgeworth { order: 2 }, &Budget::default())?;
/// assert!(found.approximation.is_some() && found.upper.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for a query that the theorem does not cover, [`Error::Undefined`] with the hypothesis that fails,
/// [`Error::Undecided`] if the budget runs out.
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

/// Best accuracy for a function of private bits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accuracy {
    /// Largest probability of a correct guess.
    pub outcome: Outcome,
    /// Probability of a correct guess without the transcript.
    pub blind: Fraction,
    /// The accuracy as a function of `x = e^epsilon`, if all parties have the same epsilon and delta = 0.
    pub formula: Option<String>,
}

/// Best accuracy with which an observer computes a function of private bits, one bit for each party. Each party
/// publishes an (epsilon, delta)-DP message about its bit. One draw of randomized response by each party is optimal for
/// every function, every score and every observer, on average and for the worst bits (Kairouz, Oh and Viswanath,
/// Theorem 5.1).
///
/// The function is `xor`, `and`, `or`, `majority`, or the table of its values at 00, 01, 10, 11, ...; each party has an
/// epsilon and a delta. For uniform bits the accuracy is `2^-k sum over transcripts t of max over y of sum over x with
/// f(x) = y of P(t | x)`; for `xor` it is `(1 + prod r_i)/2` with `r_i = delta_i + (1-delta_i) tanh(epsilon_i/2)`. For
/// the worst bits it is the value of a game between the decision rule and the bits, a linear program. The paper covers
/// scores of any kind; here a correct guess counts 1 and a wrong one 0.
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
/// [`Error::Input`] for a function that does not fit the number of parties, or an unknown party; [`Error::Undefined`]
/// for an epsilon below 0 or a delta outside `[0, 1]`; [`Error::Undecided`] if the budget runs out.
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
        Observer::Party(0) => return Err(Error::input("parties are numbered from 1")),
        Observer::Party(party) => party,
    };
    let (epsilons, deltas) = parties.iter().cloned().unzip();
    let game = Game::new((function, Some(parties.len())), epsilons, deltas, observer, bits, digits)?;
    let found = game.answer(budget)?;
    let formula = found.formula.as_ref().map(ToString::to_string);
    Ok(Accuracy { outcome: found.outcome, blind: Fraction::new(found.blind), formula })
}
