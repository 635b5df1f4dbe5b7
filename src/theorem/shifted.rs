//! Renyi divergences of noisy cyclic gradient descent, by shifted divergences, and the epsilon that follows.
//!
//! Every Renyi divergence of order alpha of the last iterate is at most `rho alpha`
//! ([`NoisyCgd::rho`](crate::mechanism::NoisyCgd)), which is rho-zCDP. Of the conversions from it, that of Canonne,
//! Kamath and Steinke at its best order is the smallest here (Table 1 of Su 2024, column "Renyi"). The shifted
//! interpolation of Bok, Su and Altschuler is better throughout: the same noise is mu-GDP, which is the meaning of the
//! shorthand `noisy-cgd`.

use rug::Rational;

use super::zcdp::Zcdp;
use crate::error::Error;
use crate::mechanism::NoisyCgd;
use enclosure::{Budget, Enclosure, Real};

/// The epsilon at a delta in (0, 1) that follows from the Renyi divergences: the column "Renyi" of Table 1 of Su 2024.
/// It is the bound `rho alpha` by shifted divergences ([`NoisyCgd::rho`](crate::mechanism::NoisyCgd)), converted by
/// Canonne, Kamath and Steinke 2020, Corollary 13, at its best order. The table is printed to few digits and does not
/// name its conversion.
///
/// # Errors
/// [`Error::Undefined`] for another delta.
pub fn epsilon(mechanism: &NoisyCgd, delta: &Real, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
    // It rises with rho.
    let rho = mechanism.rho()?.enclosure(bits.saturating_add(32));
    let at = |end: &rug::Float| {
        let rational = end.to_rational().ok_or_else(|| Error::undecided("rho is unbounded"))?;
        let rho = if rational < 0 { Rational::new() } else { rational };
        Ok::<_, Error>(Zcdp::new(rho)?.canonne_kamath_steinke(delta, bits, budget)?.enclosure(bits))
    };
    Ok(at(rho.lower())?.hull(&at(rho.upper())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Direction, Value};
    use crate::mechanism::{Composition, Mechanism};
    use crate::theorem::factors::tests::printed;

    fn mechanism(epochs: u32, contraction: &str) -> (Composition, NoisyCgd) {
        let text = format!("noisy-cgd(epochs={epochs}, batches=40, ratio=2/3, contraction={contraction})");
        let composition: Composition = text.parse().expect("a composition");
        let Some((Mechanism::NoisyCgd(mechanism), 1)) = composition.single() else { panic!("{text}") };
        (composition.clone(), mechanism.clone())
    }

    /// Table 1 of Su 2024 at delta = 1e-5, with more digits by another program: composition of all steps, Renyi
    /// divergences, f-DP; and the f-DP column for twice the regularisation.
    #[test]
    fn nine_entries_of_a_table() {
        let budget = Budget::default();
        let delta: Real = "1e-5".parse().expect("a constant");
        let exact = |composition: &Composition| {
            let curve = crate::compose::curve(composition, crate::compose::Method::Auto, &budget).expect("a curve");
            let Ok(Value::Finite(number)) = curve.epsilon(&delta, Direction::Forward, 80, &budget) else {
                panic!("{composition}")
            };
            number.enclosure(80)
        };
        for (epochs, steps, renyi, shifted) in [
            (50, "30.5062799927122", "5.82234760833", "4.33915857229527"),
            (100, "49.8837124111672", "7.61031541278", "5.60127154307529"),
            (200, "83.8305906128762", "9.87808223117", "7.57894458951339"),
        ] {
            let (composition, mechanism) = mechanism(epochs, "0.9999");
            assert!(exact(&composition).overlaps(&printed(shifted)), "{epochs}");
            let all: Composition = format!("gdp(mu=2/3)^{epochs}").parse().expect("a composition");
            assert!(exact(&all).overlaps(&printed(steps)), "{epochs}");
            let bound = epsilon(&mechanism, &delta, 80, &budget).expect("a bound");
            assert!(bound.overlaps(&printed(&renyi[..renyi.len() - 1])), "{epochs}: {bound:?}");
        }
        for (epochs, shifted) in [(50, "4.32078698"), (100, "5.50605989"), (200, "7.08587314")] {
            assert!(exact(&mechanism(epochs, "0.9998").0).overlaps(&printed(shifted)), "{epochs}");
        }
    }

    /// One epoch is one step; without contraction mu^2 grows by 1/l an epoch; near it nearly so.
    #[test]
    fn edges() {
        let of = |text: &str| {
            let composition: Composition = text.parse().expect("a composition");
            let Some((Mechanism::NoisyCgd(mechanism), 1)) = composition.single() else { panic!("{text}") };
            mechanism.clone()
        };
        let square = |text: &str| of(text).mu_squared().expect("a constant");
        assert_eq!(square("noisy-cgd(epochs=1, batches=7, ratio=1/2, contraction=1/3)"), "1/4".parse().expect("1/4"));
        assert_eq!(square("noisy-cgd(epochs=9, batches=4, ratio=1/2, contraction=1)"), "3/4".parse().expect("3/4"));
        assert_eq!(square("noisy-cgd(epochs=9, batches=4, ratio=2, contraction=0)"), "4".parse().expect("4"));
        // By hand: c = 1/2, l = 2, E = 2: 1 + (1/4)(3/4)/(9/16) (3/4)/(5/4) = 1 + 1/5.
        assert_eq!(square("noisy-cgd(epochs=2, batches=2, ratio=1, contraction=1/2)"), "6/5".parse().expect("6/5"));
        // rho: (1/2)(1 + (3/4)/(9/16) (3/4)) = 1
        let rho = of("noisy-cgd(epochs=2, batches=2, ratio=1, contraction=1/2)").rho().expect("a constant");
        assert_eq!(rho, Real::one());
        let near = square("noisy-cgd(epochs=9, batches=4, ratio=1/2, contraction=0.999999999)").enclosure(100);
        assert!(near.lower().to_f64() > 0.749_999 && near.upper().to_f64() < 0.75);
        let nothing: Composition = "noisy-cgd(epochs=9, batches=4, ratio=0, contraction=1/2)".parse().expect("one");
        assert!(nothing.pairs().expect("pairs").is_empty());
    }
}
