//! The accuracy for the worst-case bits instead of the average: a zero-sum game against an adversary who chooses the
//! bits.
//!
//! A rule d may guess at random, `d(y | v)` with what an observer sees, its view v; its accuracy at bits x is
//! `sum_v P(v | x) d(f(x) | v)`. The best rule at the worst bits, with the least upper bound on its other side:
//!
//! ```text
//! max_d min_x sum_v P(v | x) d(f(x) | v)  =  min_pi sum_v max_y sum over x with f(x) = y of  pi(x) P(v | x)
//! ```
//!
//! (von Neumann; pi is a distribution of the bits.) *Any* rule bounds the number from below, and *any* distribution
//! from above. So solutions of a linear program with approximate constants prove about as many digits as the constants
//! have. If all constants are rational, both bounds are equal and the number is exact.
//!
//! **Parties that change places.** If f and the guarantees stay as they are when parties of a class change places, the
//! average of a solution over all such changes is one too. So bits count by how many ones a class has, and views by how
//! many of each outcome: `P(class of v | x) = |class of v| mean over the class of x of P(v | x)`.

use std::collections::BTreeMap;

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::rule::{Guess, Row, seen};
use super::simplex::{self, Optimum};
use super::{Channel, Function, Observer, Privacy, channels, check_privacies};
use crate::error::Error;
use enclosure::{Budget, Need, Number};

/// The most entries of a linear program.
const MOST_ENTRIES: u64 = 1 << 18;

/// The bits of constants that a basis is found with.
const SHORT: u32 = 20;

/// The game: what is seen how often, and what a guess is worth. Where the smallest score is negative it is taken from
/// all, so that none is negative here: that changes the score of every rule by the same number.
struct Game {
    /// For each class of bits the score of each guess.
    scores: Vec<Vec<Rational>>,
    /// For each class of views, the masses at each class of bits.
    views: Vec<Vec<Number>>,
    /// Of each class of views the one in which outcomes do not fall within a class of parties.
    seen: Vec<Vec<usize>>,
}

/// The best accuracy of this observer at the worst bits: exact where `e^epsilon` and delta of all are rational.
///
/// By Kairouz, Oh and Viswanath, Theorem 5.1, randomised response is optimal for it too; the paper has no numbers of
/// it, and says that the best rule is a linear program.
///
/// # Errors
/// [`Error::Undefined`] for an epsilon below 0 and a delta outside `[0, 1]`, [`Error::Undecided`] beyond the budget.
pub fn worst_accuracy(
    function: &Function,
    parties: &[Privacy],
    observer: Observer,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    check_privacies(function, parties)?;
    let wide = bits.saturating_add(32);
    let classes = classes(function, parties, observer);
    let constants: Vec<Channel<Number>> = parties.iter().map(|party| Channel::of(party, wide)).collect();
    let game = |constants: &[Channel<Number>]| -> Result<Game, Error> {
        Game::new(function, &classes, &channels(function, observer, |i| constants[i].clone())?, budget)
    };
    let true_game = game(&constants)?;
    let least = Number::Exact(function.smallest_score());
    if constants.iter().all(Channel::is_exact) {
        return Ok(&true_game.bounds(&true_game.solve(budget)?.0, wide) + &least);
    }
    // First the basis, with short fractions near to the constants; where that is none for the constants, all of them.
    let mut best = None;
    for near in [SHORT, wide] {
        let rounded: Option<Vec<_>> = constants.iter().map(|channel| channel.rounded(near)).collect();
        let near_game = game(&rounded.ok_or_else(|| Error::internal("a mass that is not finite"))?)?;
        let (solution, basis) = near_game.solve(budget)?;
        let refined = true_game.at_basis(&basis, wide).unwrap_or(solution);
        let bounds = true_game.bounds(&refined, wide);
        let enough = bounds.enclosure(wide).relative_bits() >= Some(i64::from(bits));
        best = Some(&bounds + &least);
        if enough {
            break;
        }
    }
    best.ok_or_else(|| Error::internal("no game was solved"))
}

/// A best rule at the worst bits: for each class of views the probability of each guess.
///
/// It has the accuracy that [`worst_accuracy`] returns. Other rules may have the same one. A solution of the linear
/// program may leave a part of 1 at a view: guessing there gains or does nothing, as scores are not negative, so that
/// the first guess gets that part.
///
/// # Errors
/// [`Error::Input`] where `e^epsilon` or a delta is no fraction, and those of [`worst_accuracy`].
pub fn worst_rule(
    function: &Function,
    parties: &[Privacy],
    observer: Observer,
    budget: &Budget,
) -> Result<Vec<Row>, Error> {
    check_privacies(function, parties)?;
    let classes = classes(function, parties, observer);
    let channels = channels(function, observer, |i| Channel::of(&parties[i], 64))?;
    if !channels.iter().flatten().all(Channel::is_exact) {
        return Err(Error::input(
            "the rule for the worst-case bits is listed only if e^epsilon and delta are rational, as with epsilon = \
             ln(3)",
        ));
    }
    let game = Game::new(function, &classes, &channels, budget)?;
    let (Solution { rule, bits }, _) = game.solve(budget)?;
    if game.of_rule(&rule).exact() != game.of_bits(&bits).exact() {
        return Err(Error::internal("a rule at the worst bits that is not optimal"));
    }
    let possible = |masses: &[Number]| masses.iter().any(|mass| mass.exact().is_none_or(|mass| !mass.is_zero()));
    let rows = game.seen.iter().zip(&game.views).zip(rule).filter(|((_, masses), _)| possible(masses));
    Ok(rows
        .map(|((view, _), mut shares)| {
            let rest = 1 - shares.iter().sum::<Rational>();
            if let Some(first) = shares.first_mut() {
                *first += rest;
            }
            let guesses = function.values.iter().zip(shares).filter(|(_, share)| !share.is_zero());
            let guesses = guesses.map(|(value, share)| Guess { value: *value, probability: Some(share) }).collect();
            Row { seen: seen(view, observer), alike: arrangements(view, &classes), guesses, posterior: None }
        })
        .collect())
}

/// The accuracy at the worst bits of the best guess without any transcript: the same game, in which an observer sees
/// its own bit alone, or nothing. Bits count by the value there and by the own bit.
///
/// # Errors
/// [`Error::Internal`] where a linear program of at most 20 rows has no solution.
pub fn worst_blind(function: &Function, observer: Observer) -> Result<Rational, Error> {
    let least = function.smallest_score();
    let mut classes: Vec<(usize, bool)> =
        (0..function.table.len()).map(|x| (function.place(x), function.owns(observer, true, x))).collect();
    classes.sort_unstable();
    classes.dedup();
    let view = |own: bool| {
        classes.iter().map(|(_, bit)| Number::Exact(Rational::from(u32::from(*bit == own)))).collect::<Vec<_>>()
    };
    let scores = classes.iter().map(|(value, _)| function.above_smallest(*value)).collect();
    let game = Game { scores, views: vec![view(false), view(true)], seen: Vec::new() };
    let (Solution { rule, .. }, _) = game.solve(&Budget::default())?;
    let found = game.of_rule(&rule);
    let found = found.exact().ok_or_else(|| Error::internal("a game that is not in fractions"))?;
    Ok(Rational::from(found + &least))
}

impl Function {
    /// The smallest score where it is negative, else 0.
    fn smallest_score(&self) -> Rational {
        self.score.iter().flatten().min().cloned().unwrap_or_default().min(Rational::new())
    }

    /// The scores of all guesses where the value has this place, less [`Self::smallest_score`].
    fn above_smallest(&self, place: usize) -> Vec<Rational> {
        let least = self.smallest_score();
        self.score[place].iter().map(|score| Rational::from(score - &least)).collect()
    }
}

impl Channel<Number> {
    fn is_exact(&self) -> bool {
        [&self.right, &self.wrong].into_iter().chain(&self.told).all(|mass| mass.exact().is_some())
    }

    /// Multiples of `2^-bits` near to them, which sum to 1.
    fn rounded(&self, bits: u32) -> Option<Self> {
        let round = |mass: &Number| {
            let scaled = Float::with_val(bits + 8, mass.enclosure(bits + 8).lower()) << bits;
            Some(Rational::from(scaled.to_integer_round(Round::Down)?.0.max(Integer::new())) >> bits)
        };
        let wrong = round(&self.wrong)?;
        let mut right = Rational::from(1 - &wrong);
        let mut told = None;
        if let Some(mass) = &self.told {
            let mass = round(mass)?;
            right -= &mass;
            told = Some(Number::Exact(mass));
        }
        Some(Channel { right: Number::Exact(right), wrong: Number::Exact(wrong), told })
    }
}

/// For each party the first one that it may change places with.
pub(super) fn classes(function: &Function, parties: &[Privacy], observer: Observer) -> Vec<usize> {
    let k = function.parties;
    let own = |i: usize| observer == Observer::Party(i + 1);
    let alike = |i: usize, j: usize| {
        let same = parties[i].epsilon == parties[j].epsilon && parties[i].delta == parties[j].delta;
        let (a, b) = (k - 1 - i, k - 1 - j);
        let changed = |x: usize| if (x >> a & 1) == (x >> b & 1) { x } else { x ^ (1 << a) ^ (1 << b) };
        same && !own(i) && !own(j) && (0..1 << k).all(|x| function.table[x] == function.table[changed(x)])
    };
    (0..k).map(|i| (0..i).find(|j| alike(i, *j)).unwrap_or(i)).collect()
}

/// What a rule guesses, and the bits that are hardest to guess from.
struct Solution {
    /// For each class of views the probabilities of the values.
    rule: Vec<Vec<Rational>>,
    /// The probabilities of the classes of bits.
    bits: Vec<Rational>,
}

impl Game {
    fn new(
        function: &Function,
        classes: &[usize],
        channels: &[Option<Channel<Number>>],
        budget: &Budget,
    ) -> Result<Self, Error> {
        let k = function.parties;
        let bit = |x: usize, i: usize| x >> (k - 1 - i) & 1;
        // The ones of each class name a class of bits.
        let mut of_bits: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for x in 0..1_usize << k {
            let mut ones = vec![0; k];
            (0..k).for_each(|i| ones[classes[i]] += bit(x, i));
            of_bits.entry(ones).or_default().push(x);
        }
        let scores: Vec<Vec<Rational>> =
            of_bits.values().filter_map(|all| Some(function.above_smallest(function.place(*all.first()?)))).collect();
        // Of each class of views that in which outcomes do not fall within a class of parties.
        let outcomes = |i: usize| match &channels[i] {
            None => 2,
            Some(channel) => 2 + 2 * usize::from(channel.told.is_some()),
        };
        let mut views: Vec<Vec<usize>> = vec![Vec::new()];
        for i in 0..k {
            let before = (0..i).rev().find(|j| classes[*j] == classes[i]);
            let mut longer = Vec::new();
            for view in &views {
                let least = before.map_or(0, |j| view[j]);
                longer.extend((least..outcomes(i)).map(|outcome| [view.as_slice(), &[outcome]].concat()));
            }
            views = longer;
            let rows = (views.len() + of_bits.len()) as u64;
            let count = rows.saturating_mul(rows + (views.len() * function.values.len()) as u64);
            let relax = "try fewer parties, parties with equal parameters, or delta = 0";
            let what = "entries of a linear program";
            budget.afford(&Need { what, count, most: MOST_ENTRIES, bytes: 256, relax })?;
        }
        let mass = |outcome: usize, bit: usize, channel: &Option<Channel<Number>>| match channel {
            None => Number::Exact(Rational::from(u32::from(outcome == bit))),
            Some(Channel { right, wrong, told }) => match (outcome, told) {
                (0 | 1, _) => {
                    if outcome == bit {
                        right.clone()
                    } else {
                        wrong.clone()
                    }
                }
                (_, Some(told)) if outcome - 2 == bit => told.clone(),
                _ => Number::zero(),
            },
        };
        let one_view = |view: &Vec<usize>| -> Result<Vec<Number>, Error> {
            budget.check()?;
            let alike = Number::Exact(Rational::from(arrangements(view, classes)));
            let masses: Vec<[Number; 2]> = (0..k).map(|i| [0, 1].map(|bit| mass(view[i], bit, &channels[i]))).collect();
            let of_one = |x: usize| (0..k).fold(Number::one(), |product, i| &product * &masses[i][bit(x, i)]);
            Ok(of_bits
                .values()
                .map(|all| {
                    let sum = all.iter().fold(Number::zero(), |sum, x| &sum + &of_one(*x));
                    &(&sum * &alike) * &Number::Exact(Rational::from((1, all.len())))
                })
                .collect())
        };
        let masses = views.iter().map(one_view).collect::<Result<_, _>>()?;
        Ok(Game { scores, views: masses, seen: views })
    }

    /// How many guesses there are.
    fn guesses(&self) -> usize {
        self.scores.first().map_or(0, Vec::len)
    }

    /// The linear program, with masses as they are read by `mass`. Variables: the value of the game, then for each view
    /// the probability of each guess. For each class of bits the value is at most the score there, and for each view
    /// all guesses together are at most 1.
    fn program<T: Clone>(
        &self,
        (zero, one): (&T, &T),
        mass: impl Fn(&Number) -> Result<T, Error>,
    ) -> Result<Vec<Vec<T>>, Error> {
        let (bits, views, guesses) = (self.scores.len(), self.views.len(), self.guesses());
        let mut rows = vec![vec![zero.clone(); 1 + views * guesses]; bits + views];
        for (x, scores) in self.scores.iter().enumerate() {
            rows[x][0] = one.clone();
            for (v, masses) in self.views.iter().enumerate() {
                for (guess, score) in scores.iter().enumerate().filter(|(_, score)| !score.is_zero()) {
                    rows[x][1 + v * guesses + guess] = mass(&(&masses[x] * &Number::Exact(score.clone())))?;
                }
            }
        }
        for v in 0..views {
            rows[bits + v][1 + v * guesses..1 + (v + 1) * guesses].fill(one.clone());
        }
        Ok(rows)
    }

    /// Its right sides, and what is to be large: the value of the game.
    fn sides(&self) -> (Vec<Rational>, Vec<Rational>) {
        let (bits, views) = (self.scores.len(), self.views.len());
        let limits = (0..bits + views).map(|row| Rational::from(u32::from(row >= bits))).collect();
        let variables = 1 + views * self.guesses();
        (limits, (0..variables).map(|column| Rational::from(u32::from(column == 0))).collect())
    }

    /// Of a game in fractions, with the basis of the solution.
    fn solve(&self, budget: &Budget) -> Result<(Solution, Vec<usize>), Error> {
        let mass = |mass: &Number| {
            let mass = mass.exact().ok_or_else(|| Error::internal("a game that is not in fractions"))?;
            Ok(Rational::from(-mass))
        };
        let rows = self.program((&Rational::new(), &Rational::from(1)), mass)?;
        let (limits, gains) = self.sides();
        let Optimum { primal, dual, basis } = simplex::solve(&rows, &limits, &gains, budget)?;
        Ok((self.solution(primal, &dual)?, basis))
    }

    /// The solutions that belong to this basis, if it is one.
    fn at_basis(&self, basis: &[usize], bits: u32) -> Option<Solution> {
        let mass = |mass: &Number| Ok(-Float::with_val(bits, mass.enclosure(bits).lower()));
        let rows = self.program((&Float::new(bits), &Float::with_val(bits, 1)), mass).ok()?;
        let (limits, gains) = self.sides();
        let (primal, dual) = simplex::at_basis(&rows, &limits, &gains, basis, bits)?;
        let fractions = |of: Vec<Float>| of.iter().map(Float::to_rational).collect::<Option<Vec<_>>>();
        self.solution(fractions(primal)?, &fractions(dual)?).ok()
    }

    /// A rule and a distribution from what is all but that: nothing is negative, and sums are not above 1, or 1.
    fn solution(&self, primal: Vec<Rational>, dual: &[Rational]) -> Result<Solution, Error> {
        let positive = |share: &Rational| share.clone().max(Rational::new());
        let rule = |guesses: &[Rational]| {
            let guesses: Vec<Rational> = guesses.iter().map(positive).collect();
            let sum = guesses.iter().sum::<Rational>().max(Rational::from(1));
            guesses.into_iter().map(|guess| guess / &sum).collect()
        };
        let bits: Vec<Rational> = dual[..self.scores.len()].iter().map(positive).collect();
        let sum: Rational = bits.iter().sum();
        if sum.is_zero() {
            return Err(Error::internal("a game without bits"));
        }
        Ok(Solution {
            rule: primal[1..].chunks(self.guesses()).map(rule).collect(),
            bits: bits.into_iter().map(|share| share / &sum).collect(),
        })
    }

    /// Between what a rule has at the worst bits and the best of all rules at these: equal, if both are exact.
    fn bounds(&self, solution: &Solution, bits: u32) -> Number {
        let (below, above) = (self.of_rule(&solution.rule), self.of_bits(&solution.bits));
        if below.exact().is_some() && below.exact() == above.exact() {
            return below;
        }
        let most = self.scores.iter().flatten().max().cloned().unwrap_or_default();
        Number::Enclosed(below.enclosure(bits).hull(&above.enclosure(bits))).min(&Number::Exact(most))
    }

    /// The score of a rule at the worst bits: a lower bound. What a rule leaves of 1 is no guess.
    fn of_rule(&self, rule: &[Vec<Rational>]) -> Number {
        let expected = |scores: &[Rational], rule: &[Rational]| -> Rational {
            scores.iter().zip(rule).map(|(score, share)| Rational::from(score * share)).sum()
        };
        let at = |(x, scores): (usize, &Vec<Rational>)| {
            self.views.iter().zip(rule).fold(Number::zero(), |sum, (masses, rule)| {
                &sum + &(&masses[x] * &Number::Exact(expected(scores, rule)))
            })
        };
        let least = self.scores.iter().enumerate().map(at).reduce(|least, other| least.min(&other));
        least.unwrap_or_else(Number::zero)
    }

    /// The score of the best rule where bits have these probabilities, which sum to 1: an upper bound.
    fn of_bits(&self, bits: &[Rational]) -> Number {
        let view = |masses: &Vec<Number>| {
            let of_guess = |guess: usize| {
                let at = self.scores.iter().zip(bits).zip(masses);
                at.fold(Number::zero(), |sum, ((scores, share), mass)| {
                    &sum + &(mass * &Number::Exact(Rational::from(&scores[guess] * share)))
                })
            };
            (0..self.guesses()).map(of_guess).reduce(|most, other| most.max(&other)).unwrap_or_else(Number::zero)
        };
        self.views.iter().map(view).fold(Number::zero(), |sum, most| &sum + &most)
    }
}

/// How many views there are like this one when parties of a class change places.
pub(super) fn arrangements(view: &[usize], classes: &[usize]) -> Integer {
    let mut counts: BTreeMap<usize, BTreeMap<usize, u32>> = BTreeMap::new();
    for (outcome, class) in view.iter().zip(classes) {
        *counts.entry(*class).or_default().entry(*outcome).or_default() += 1;
    }
    let factorial = |n: u32| Integer::from(Integer::factorial(n));
    let one = |outcomes: &BTreeMap<usize, u32>| -> Integer {
        let all = factorial(outcomes.values().sum());
        outcomes.values().fold(all, |rest, count| rest / factorial(*count))
    };
    counts.values().map(one).product()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::theorem::multiparty::accuracy;
    use enclosure::{Real, refine};

    fn q(numer: u32, denom: u32) -> Rational {
        Rational::from((numer, denom))
    }

    fn party(x: Rational, delta: Rational) -> Privacy {
        Privacy { epsilon: Real::from(x).ln().expect("positive"), delta: Real::from(delta) }
    }

    fn exact(function: &Function, parties: &[Privacy], observer: Observer) -> Rational {
        let number = worst_accuracy(function, parties, observer, 64, &Budget::default()).expect("a number");
        number.exact().expect("rational").clone()
    }

    /// By hand at x = 3: one bit is guessed right with 3/4 whatever it is. For the conjunction of two, guess 1 if both
    /// answers are 1, 0 if both are 0, and 1 with probability d else: `(9 + 6 d)/16` at 11 is `(13 - 10 d)/16` at 01
    /// for d = 1/4, and 0 there is easier at 00. With delta in all of one bit its half is guessed where nothing is
    /// told.
    #[test]
    fn small_games_by_hand() {
        let parties = |k: usize| vec![party(q(3, 1), Rational::new()); k];
        let of = |table: &str| Function::parse(table, None).expect("a table");
        assert_eq!(exact(&of("01"), &parties(1), Observer::Central), q(3, 4));
        assert_eq!(exact(&of("0001"), &parties(2), Observer::Central), q(21, 32));
        assert_eq!(exact(&of("0111"), &parties(2), Observer::Central), q(21, 32));
        // A party whose own bit is 0 knows the conjunction; if it is 1 it is the other's bit.
        assert_eq!(exact(&of("0001"), &parties(2), Observer::Party(1)), q(3, 4));
        assert_eq!(exact(&of("01"), &[party(q(1, 1), q(1, 5))], Observer::Central), q(3, 5));
        assert_eq!(exact(&of("01"), &[party(q(3, 1), q(1, 5))], Observer::Central), q(1, 5) + q(4, 5) * q(3, 4));
        assert_eq!(exact(&of("0000"), &parties(2), Observer::Central), 1);
        // Three values.
        assert_eq!(exact(&of("0112"), &[party(q(1, 1), q(0, 1)), party(q(1, 1), q(0, 1))], Observer::Central), q(1, 3));
    }

    /// Parity is as hard at all bits: the average.
    #[test]
    fn parity_has_no_worst_bits() {
        let xor = Function::parse("xor", Some(3)).expect("a function");
        let parties = [party(q(3, 1), q(1, 10)), party(q(3, 2), q(0, 1)), party(q(3, 1), q(1, 10))];
        for observer in [Observer::Central, Observer::Party(2), Observer::Party(3)] {
            let average = accuracy(&xor, &parties, observer, 64, &Budget::default()).expect("a number");
            assert_eq!(exact(&xor, &parties, observer), *average.exact().expect("rational"));
        }
    }

    /// Parties that may change places give the same number as when nobody is told apart by a class.
    #[test]
    fn classes_change_nothing() {
        let majority = Function::parse("majority", Some(3)).expect("a function");
        let parties = vec![party(q(5, 2), Rational::new()); 3];
        let channels = channels(&majority, Observer::Central, |_| {
            let (right, wrong) = (Number::Exact(q(5, 7)), Number::Exact(q(2, 7)));
            Channel { right, wrong, told: None }
        });
        let apart = Game::new(&majority, &[0, 1, 2], &channels.expect("channels"), &Budget::default()).expect("a game");
        assert_eq!(apart.scores.len(), 8);
        let (Solution { rule, bits }, _) = apart.solve(&Budget::default()).expect("a solution");
        let of = exact(&majority, &parties, Observer::Central);
        assert_eq!(apart.of_rule(&rule).exact(), Some(&of));
        assert_eq!(apart.of_bits(&bits).exact(), Some(&of));
        assert_eq!(classes(&majority, &parties, Observer::Central), [0, 0, 0]);
        assert_eq!(classes(&majority, &parties, Observer::Party(1)), [0, 1, 1]);
    }

    /// Irrational constants: as many digits as are asked for, about the number at fractions next to it.
    #[test]
    fn irrational_constants_are_enclosed() {
        let majority = Function::parse("majority", Some(5)).expect("a function");
        let one = Privacy { epsilon: Real::one(), delta: Real::zero() };
        let budget = Budget::default();
        let worst = |bits: u32| worst_accuracy(&majority, &vec![one.clone(); 5], Observer::Central, bits, &budget);
        let set = refine(40, &budget, worst).expect("a number").enclosure(200);
        let near =
            |numer: u32| exact(&majority, &vec![party(q(numer, 100_000), Rational::new()); 5], Observer::Central);
        // e = 2.71828...; more of it tells more.
        assert!(*set.lower() > near(271_828) && *set.upper() < near(271_829), "{set:?}");
    }

    #[test]
    fn too_large_games_are_refused() {
        let function = Function::parse("0110100110010110100101100110100101101001100101101001011001101001", None);
        let function = function.expect("a table");
        let parties: Vec<Privacy> = (0..6).map(|i| party(q(3 + i, 2), q(1, 10 + i))).collect();
        let refused = worst_accuracy(&function, &parties, Observer::Central, 64, &Budget::default());
        assert!(matches!(refused, Err(Error::Undecided(_))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// The worst is no better than the average and no worse than blind, and with what is seen of one party less
        /// it is no better.
        #[test]
        fn the_worst_is_below_the_average(table in 0u32..256, numer in 5u32..60, told in 0u32..3, own in 0usize..4) {
            let text: String = (0..8).map(|x| if table >> x & 1 == 1 { '1' } else { '0' }).collect();
            let function = Function::parse(&text, None).expect("a table");
            let parties = [(numer, told), (7, 0), (numer, told)].map(|(x, told)| party(q(x, 5), q(told, 9)));
            let observer = if own == 0 { Observer::Central } else { Observer::Party(own) };
            let worst = exact(&function, &parties, observer);
            let average = accuracy(&function, &parties, observer, 64, &Budget::default()).expect("a number");
            prop_assert!(worst <= *average.exact().expect("rational"));
            prop_assert!(worst >= worst_blind(&function, observer).expect("a game"));
            let silent = [party(q(1, 1), Rational::new()), parties[1].clone(), parties[2].clone()];
            prop_assert!(exact(&function, &silent, observer) <= worst);
        }
    }
}
