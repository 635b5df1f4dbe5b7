//! Dwork and Rothblum's antipodal replacement of a finite pair, and the bounds it proves.

use crate::answer::{Meaning, Outcome};
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
    /// `X = e^epsilon`, the largest of all `p/q` and `q/p`; `None` if the masses are not fractions or too many.
    pub ratio: Option<Fraction>,
    /// `[M, N]`: for each outcome of (P, Q) in order, its part with the ratio X or 1/X, then its part with the ratio 1,
    /// each if it is not empty. For `P = Q` it is (P, Q). Outcomes of a composition with the same ratio are merged.
    /// `None` if the masses are not fractions or more than 256.
    pub replacement: Option<[Vec<Fraction>; 2]>,
    /// `epsilon = ln X`.
    pub epsilon: Outcome,
    /// `TV(P,Q) = TV(M,N)`.
    pub total_variation: Outcome,
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
    /// `epsilon tanh(epsilon/2) <= epsilon (e^epsilon - 1)/2` are strict; the others are equalities. `None` if the
    /// masses are not fractions and the digits do not separate the two sides.
    pub strict: [Option<bool>; 3],
    /// Whether the numbers are exact or bounds for the mechanism.
    pub meaning: Option<Meaning>,
}

/// Antipodal replacement of a pair with bounded privacy losses, and the bounds of Lemma 3.8. Its losses are only
/// `epsilon`, 0 and `-epsilon`, and its divergence is at least that of the pair: `p - q = (X-1) n` with `n` the mass of
/// ratio X (Dwork, Rothblum 2016, *Concentrated Differential Privacy*, Lemma 3.9).
///
/// The paper bounds `D_inf(P||Q)` in one direction only, for which the lemmas are false; here X is the largest ratio in
/// both directions. The paper calls `epsilon (e^epsilon - 1)/2` tight, which holds only to leading order in epsilon;
/// the terms in between follow from the proof of Lemma 3.9.
///
/// ```
/// use dpcert::{Budget, antipodal};
///
/// let pair = "finite(p=[1/2, 1/4, 1/4], q=[1/3, 1/3, 1/3])".parse()?;
/// let found = antipodal(&pair, 10, &Budget::default())?;
/// let Some([m, n]) = &found.replacement else { return Err("fractions".into()) };
/// assert_eq!(found.ratio.map(|ratio| ratio.to_string()), Some("3/2".to_string()));
/// assert_eq!((m[0].to_string(), n[0].to_string()), ("1/2".to_string(), "1/3".to_string()));
/// // 0.0588... and 0.0675...
/// assert!(found.forward.upper_f64() < found.antipodal.lower_f64() && found.strict[0] == Some(true));
/// // Laplace noise of scale 1: 1 - e^(-1/2) is the total variation distance, and the largest loss is 1.
/// let noise = antipodal(&"laplace(scale=1)".parse()?, 10, &Budget::default())?;
/// assert!(noise.replacement.is_none());
/// assert!(noise.forward.upper_f64() < noise.antipodal.lower_f64() && noise.antipodal.upper_f64() < Some(0.3935));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for a guarantee, which has no pair; [`Error::Undefined`] if the losses are unbounded;
/// [`Error::Undecided`] if the budget runs out.
pub fn antipodal(pair: &Composition, digits: u32, budget: &Budget) -> Result<Antipodal, Error> {
    let Replaced { antipodal, chain, strict, meaning, .. } = Replaced::new(pair.clone(), digits, budget)?;
    let fractions = |masses: &[rug::Rational]| masses.iter().cloned().map(Fraction::new).collect::<Vec<_>>();
    let replacement = antipodal.as_ref().map(|antipodal| antipodal.replacement());
    Ok(Antipodal {
        ratio: antipodal.as_ref().map(|antipodal| Fraction::new(antipodal.x().clone())),
        replacement: replacement.map(|pair| [fractions(pair.p()), fractions(pair.q())]),
        epsilon: Outcome::of(chain.epsilon),
        total_variation: Outcome::of(chain.total_variation),
        forward: Outcome::of(chain.forward),
        backward: Outcome::of(chain.backward),
        antipodal: Outcome::of(chain.antipodal),
        sharp: Outcome::of(chain.sharp),
        printed: Outcome::of(chain.printed),
        strict,
        meaning: meaning.0,
    })
}
