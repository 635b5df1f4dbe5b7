//! Dwork and Rothblum's antipodal replacement of a finite pair, and the bounds it proves.

use crate::answer::Outcome;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::number::Fraction;
use crate::print::Replaced;
use enclosure::Budget;

/// The antipodal replacement (M, N) of a pair (P, Q), and the chain of divergences that it proves, in nats:
/// `KL(P||Q) <= KL(M||N) = epsilon TV(P,Q) <= epsilon tanh(epsilon/2) <= epsilon (e^epsilon - 1)/2`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Antipodal {
    /// `X = e^epsilon`, the largest of all `p/q` and `q/p`.
    pub ratio: Fraction,
    /// `[M, N]`: for each outcome of (P, Q) in order, its part with the ratio X or 1/X, then its part with the ratio 1,
    /// each if it is not empty. For `P = Q` it is (P, Q).
    pub replacement: [Vec<Fraction>; 2],
    /// `epsilon = ln X`.
    pub epsilon: Outcome,
    /// `KL(P||Q)`.
    pub forward: Outcome,
    /// `KL(Q||P)`.
    pub backward: Outcome,
    /// `KL(M||N) = KL(N||M) = epsilon TV(P,Q)`.
    pub antipodal: Outcome,
    /// `epsilon tanh(epsilon/2)`, the largest divergence of all pairs with this epsilon.
    pub sharp: Outcome,
    /// `epsilon (e^epsilon - 1)/2`, as Lemma 3.8 prints it.
    pub printed: Outcome,
    /// Which of `KL(P||Q) <= KL(M||N)`, `epsilon TV(P,Q) <= epsilon tanh(epsilon/2)`,
    /// `epsilon tanh(epsilon/2) <= epsilon (e^epsilon - 1)/2` are strict; the others are equalities. They are told by
    /// fractions.
    pub strict: [bool; 3],
}

/// The antipodal replacement of one `finite` pair, whose losses are `epsilon`, 0 and `-epsilon` only, with no smaller
/// divergence: `p - q = (X-1) n` with `n` the mass of ratio X (Dwork, Rothblum 2016, *Concentrated Differential
/// Privacy*, Lemma 3.9), and the bounds of Lemma 3.8.
///
/// The paper bounds `D_inf(P||Q)` in one direction, with which the lemmas are false; here X is the largest ratio of
/// both. It calls `epsilon (e^epsilon - 1)/2` tight, which it is to leading order in epsilon only; the members between
/// come out of the proof of Lemma 3.9.
///
/// ```
/// use dpcert::{Budget, antipodal};
///
/// let pair = "finite(p=[1/2, 1/4, 1/4], q=[1/3, 1/3, 1/3])".parse()?;
/// let found = antipodal(&pair, 10, &Budget::default())?;
/// let [m, n] = &found.replacement;
/// assert_eq!(found.ratio.to_string(), "3/2");
/// assert_eq!((m[0].to_string(), n[0].to_string()), ("1/2".to_string(), "1/3".to_string()));
/// // 0.0588... and 0.0675...
/// assert!(found.forward.upper_f64() < found.antipodal.lower_f64() && found.strict[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for another composition than one `finite` pair; [`Error::Undefined`] where an outcome has mass
/// under one distribution only; [`Error::Undecided`] beyond the budget.
pub fn antipodal(pair: &Composition, digits: u32, budget: &Budget) -> Result<Antipodal, Error> {
    let Replaced { antipodal, chain, .. } = Replaced::new(pair.clone(), digits, budget)?;
    let fractions = |masses: &[rug::Rational]| masses.iter().cloned().map(Fraction::new).collect::<Vec<_>>();
    let replacement = antipodal.replacement();
    Ok(Antipodal {
        ratio: Fraction::new(antipodal.x().clone()),
        replacement: [fractions(replacement.p()), fractions(replacement.q())],
        epsilon: Outcome::of(chain.epsilon),
        forward: Outcome::of(chain.forward),
        backward: Outcome::of(chain.backward),
        antipodal: Outcome::of(chain.antipodal),
        sharp: Outcome::of(chain.sharp),
        printed: Outcome::of(chain.printed),
        strict: antipodal.strict(),
    })
}
