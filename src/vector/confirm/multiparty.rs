//! How well a function of private bits is computed, from the definition: every transcript of all parties beside every
//! setting of the bits, in malachite.

use std::collections::BTreeMap;

use malachite::Rational as Second;
use malachite::base::num::basic::traits::{One, Zero};

use super::{Claim, Routes, numbers, sharper};
use crate::answer::Outcome;
use crate::error::Error;
use crate::route::moments::{add, div, mul, point, sub};
use crate::vector::stated::Game;

type Bounds = (Second, Second);

/// The name of the route.
const NAME: &str = "malachite, all transcripts beside all bits";
/// Working precisions, one after the other.
const BITS: [u64; 2] = [320, 1280];

impl Routes {
    /// The name of the second route that agrees with an accuracy.
    ///
    /// # Errors
    /// As [`Routes::confirm`] has them.
    pub fn confirm_accuracy(&self, game: &Game, outcome: &Outcome) -> Result<String, Error> {
        let claim = Claim::of(outcome)?;
        sharper(&BITS, |bits| claim.agrees_with(&numbers::first_both(&average(&game.stored, bits)?)?))?;
        Ok(NAME.to_string())
    }
}

/// The value of the function, as its definition has it.
fn value(function: &str, bits: &[bool]) -> Result<char, Error> {
    let ones = bits.iter().filter(|bit| **bit).count();
    let said = match function {
        "xor" => ones % 2 == 1,
        "and" => ones == bits.len(),
        "or" => ones > 0,
        "majority" => 2 * ones > bits.len(),
        table => {
            let place = bits.iter().fold(0, |place, bit| 2 * place + usize::from(*bit));
            let entry = table.chars().nth(place);
            return entry.ok_or_else(|| Error::input("the table has too few values"));
        }
    };
    Ok(if said { '1' } else { '0' })
}

/// The masses of what a party publishes, for either bit: a wrong and a right answer, and the bit itself.
fn published(
    epsilon: &dpcert_vectors::Exact,
    delta: &dpcert_vectors::Exact,
    bits: u64,
) -> Result<[[Bounds; 4]; 2], Error> {
    let read = |value: &dpcert_vectors::Exact| -> Result<enclosure::Real, Error> {
        value.to_string().parse().map_err(|error| Error::input(format!("{error}")))
    };
    let one = point(Second::ONE);
    let x = numbers::exp_bounds(&read(epsilon)?, bits)?;
    let delta = numbers::bounds(&read(delta)?, bits)?;
    let kept = div(&sub(&one, &delta), &add(&one, &x));
    let (wrong, right, none) = (kept.clone(), mul(&kept, &x), point(Second::ZERO));
    // Answer 0, answer 1, "it is 0", "it is 1".
    Ok([[right.clone(), wrong.clone(), delta.clone(), none.clone()], [wrong, right, none, delta]])
}

/// Over bits of which each is as likely as every other.
fn average(game: &dpcert_vectors::Game, bits: u64) -> Result<Bounds, Error> {
    if game.bits != dpcert_vectors::Bits::Average {
        return Err(Error::input("no second route for the worst bits"));
    }
    let parties = game.parties as usize;
    let laws: Vec<[[Bounds; 4]; 2]> = game
        .epsilon
        .iter()
        .zip(&game.delta)
        .map(|(epsilon, delta)| published(epsilon, delta, bits))
        .collect::<Result<_, _>>()?;
    let own: Option<usize> = game.observer.parse().ok().map(|party: usize| party - 1);
    let settings: Vec<Vec<bool>> =
        (0..1_usize << parties).map(|x| (0..parties).map(|i| x >> (parties - 1 - i) & 1 == 1).collect()).collect();
    let values: Vec<char> = settings.iter().map(|bits| value(&game.function, bits)).collect::<Result<_, _>>()?;
    let mut sum = point(Second::ZERO);
    for transcript in 0..1_usize << (2 * parties) {
        let told = |i: usize| transcript >> (2 * i) & 3;
        if (0..parties).any(|i| told(i) > 1 && laws[i][0][2].1 == 0u32) {
            continue;
        }
        // What is seen, and of which value how much mass is there.
        let mut masses: BTreeMap<(Option<bool>, char), Bounds> = BTreeMap::new();
        for (setting, value) in settings.iter().zip(&values) {
            let mass =
                (0..parties).fold(point(Second::ONE), |mass, i| mul(&mass, &laws[i][usize::from(setting[i])][told(i)]));
            let place = masses.entry((own.map(|own| setting[own]), *value)).or_insert_with(|| point(Second::ZERO));
            *place = add(place, &mass);
        }
        let mut best: BTreeMap<Option<bool>, Bounds> = BTreeMap::new();
        for ((seen, _), mass) in masses {
            let place = best.entry(seen).or_insert_with(|| point(Second::ZERO));
            *place = (mass.0.max(place.0.clone()), mass.1.max(place.1.clone()));
        }
        for mass in best.values() {
            sum = add(&sum, mass);
        }
    }
    Ok(div(&sum, &point(Second::from(1u32 << parties))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::suite;
    use enclosure::{Budget, Enclosure, Number};
    use rug::Rational;

    /// Each accuracy is confirmed, and another number is not.
    #[test]
    fn right_numbers_are_confirmed_and_wrong_ones_are_not() {
        let suites = suite::all();
        let cases: Vec<_> =
            suites.iter().flat_map(|suite| &suite.cases).filter_map(|case| case.game.as_ref()).collect();
        for stored in cases.iter().filter(|game| game.parties < 5).step_by(4) {
            let game = Game::new(stored, 40).expect("a function");
            let outcome = game.answer(&Budget::default()).expect("an answer").outcome;
            let routes = Routes::default();
            routes.confirm_accuracy(&game, &outcome).unwrap_or_else(|error| panic!("{stored:?}: {error}"));
            let set = outcome.number().expect("a number").enclosure(200);
            let off = Enclosure::rational(&Rational::from((1, 1_000_000_000_000u64)), 200);
            let wrong = Outcome::of(Number::Enclosed(&set - &off));
            assert!(routes.confirm_accuracy(&game, &wrong).is_err(), "{stored:?}");
        }
    }
}
