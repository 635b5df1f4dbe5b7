//! How well a function of private bits is computed, from the definition: every transcript of all parties beside every
//! setting of the bits, in malachite.

use std::collections::BTreeMap;

use malachite::base::num::basic::traits::{One, Zero};
use malachite::{Integer, Rational as Second};

use super::{Claim, Routes, numbers, sharper};
use crate::answer::Outcome;
use crate::error::Error;
use crate::route::elementary::{ceiling_at, floor_at};
use crate::route::moments::{add, div, mul, point, sub};
use crate::vector::stated::Game;

type Bounds = (Second, Second);
/// Bounds of what is not negative, as multiples of a power of two.
type Units = [Integer; 2];

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
        sharper(&BITS, |&bits| claim.agrees_with(&numbers::first_both(&average(&game.stored, bits)?)?))?;
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
    // In units, so that sums and products are those of integers.
    let units = |mass: Bounds| [floor_at(&mass.0, bits), ceiling_at(&mass.1, bits)];
    let laws: Vec<[[Units; 4]; 2]> = game
        .epsilon
        .iter()
        .zip(&game.delta)
        .map(|(epsilon, delta)| Ok(published(epsilon, delta, bits)?.map(|masses| masses.map(units))))
        .collect::<Result<_, Error>>()?;
    let own: Option<usize> = game.observer.parse().ok().map(|party: usize| party - 1);
    let settings: Vec<Vec<bool>> =
        (0..1_usize << parties).map(|x| (0..parties).map(|i| x >> (parties - 1 - i) & 1 == 1).collect()).collect();
    let values: Vec<char> = settings.iter().map(|bits| value(&game.function, bits)).collect::<Result<_, _>>()?;
    let mut sum = [Integer::ZERO, Integer::ZERO];
    for transcript in 0..1_usize << (2 * parties) {
        let told = |i: usize| transcript >> (2 * i) & 3;
        if (0..parties).any(|i| told(i) > 1 && laws[i][0][2][1] == 0) {
            continue;
        }
        // The mass of each observation, by value of the function.
        let mut masses: BTreeMap<(Option<bool>, char), Units> = BTreeMap::new();
        for (setting, value) in settings.iter().zip(&values) {
            let mut mass = [Integer::ONE, Integer::ONE];
            for (i, law) in laws.iter().enumerate() {
                for (mass, own) in mass.iter_mut().zip(&law[usize::from(setting[i])][told(i)]) {
                    *mass *= own;
                }
            }
            add_up(masses.entry((own.map(|own| setting[own]), *value)).or_default(), &mass);
        }
        let mut best: BTreeMap<Option<bool>, Units> = BTreeMap::new();
        for ((seen, _), mass) in masses {
            for (best, mass) in best.entry(seen).or_default().iter_mut().zip(mass) {
                if mass > *best {
                    *best = mass;
                }
            }
        }
        for mass in best.values() {
            add_up(&mut sum, mass);
        }
    }
    // A product has the units of all parties, and all settings are as likely.
    let [low, high] = sum.map(|sum| Second::from(sum) >> ((bits + 1) * parties as u64));
    Ok((low, high))
}

fn add_up(sum: &mut Units, mass: &Units) {
    for (sum, mass) in sum.iter_mut().zip(mass) {
        *sum += mass;
    }
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
