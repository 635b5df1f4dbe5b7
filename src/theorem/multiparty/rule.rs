//! The best guess after each transcript.
//!
//! With uniform bits the score of the guess g at the view v is `2^-k sum_x w(f(x), g) P(v | x)`, and a rule is best if
//! and only if it takes a guess of largest score at every view of positive mass. Within one view all masses `P(v | x)`
//! have the same factors of the known bits and of `(1 - delta_i)/(1 + x_i)`, so that the order of two guesses is the
//! sign of
//!
//! ```text
//! sum over x with the own and the known bits of v of  (w(f(x), a) - w(f(x), b)) e^(sum of epsilon_i with answer x_i).
//! ```
//!
//! A tie means that this sum, with equal constants combined, is 0 term by term. A sum that is not zero in this form and
//! has no decided sign at 4096 bits is undecided. (`proofs/paper/multiparty.md`)
//!
//! **Classes.** Parties that may change places, as for the game at the worst bits, give one row for all views that
//! differ by such a change: the best guess is the same.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use rug::{Integer, Rational};

use super::worst::{arrangements, classes};
use super::{Channel, Function, Observer, Privacy, View, channels, check_privacies, transcripts};
use crate::error::Error;
use enclosure::{Budget, Number, Real};

/// The most rows of a rule.
const MOST_ROWS: u64 = 4096;

/// What an observer sees of one party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The published answer, which may be false.
    Answer(bool),
    /// The published bit itself, known to be it.
    Known(bool),
    /// The observer's own bit.
    Own(bool),
}

/// A guess, and how often a rule that guesses at random takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The value.
    pub value: u8,
    /// At the worst bits.
    pub probability: Option<Rational>,
}

/// The best guess after some transcripts.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the observer sees of each party, for one of these transcripts.
    pub seen: Vec<Seen>,
    /// How many transcripts there are like this one when parties of a class change places.
    pub alike: Integer,
    /// With uniform bits every best guess, in increasing order: more than one is a tie. At the worst bits all guesses
    /// that the rule takes.
    pub guesses: Vec<Guess>,
    /// With uniform bits the probability of all these transcripts, and the average score of a best guess after one.
    pub posterior: Option<[Number; 2]>,
}

/// What the numbers of a view mean.
pub(super) fn seen(view: &View, observer: Observer) -> Vec<Seen> {
    let of = |(i, outcome): (usize, &usize)| match outcome {
        0 | 1 if observer == Observer::Party(i + 1) => Seen::Own(*outcome == 1),
        0 | 1 => Seen::Answer(*outcome == 1),
        other => Seen::Known(*other == 3),
    };
    view.iter().enumerate().map(of).collect()
}

/// The best rule of this observer with uniform bits: all best guesses after every transcript of positive probability.
///
/// # Errors
/// Those of [`accuracy`](super::accuracy); [`Error::Input`] for more than 4096 rows, [`Error::Undecided`] where the
/// order of two guesses is not found.
pub fn rule(
    function: &Function,
    parties: &[Privacy],
    observer: Observer,
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Row>, Error> {
    check_privacies(function, parties)?;
    let classes = classes(function, parties, observer);
    let channels = channels(function, observer, |i| Channel::of(&parties[i], bits.saturating_add(32)))?;
    let rows = count(&channels, &classes);
    if rows > MOST_ROWS {
        return Err(Error::input(format!(
            "the rule has {rows} rows, more than the limit of {MOST_ROWS}; try fewer parties, delta = 0, or parties \
             with equal epsilon and delta"
        )));
    }
    let mut tables = function.scores(|score| Number::Exact(score.clone()));
    tables.push(vec![Number::one(); function.table.len()]);
    let most = Number::Exact(function.largest_score());
    let mut rows = Vec::new();
    transcripts((&channels, &classes), &mut Vec::new(), tables, budget, &mut |view, mut scores| {
        budget.check()?;
        let Some(mass) = scores.pop() else { return Ok(()) };
        if mass.sign() == Some(Ordering::Equal) {
            return Ok(());
        }
        let best = best(&scores, |a, b| order(function, parties, view, observer, a, b))?;
        let alike = arrangements(view, &classes);
        let share = Number::Exact(Rational::from(alike.clone()) >> function.parties as u32);
        let score = (&scores[best[0]] / &mass).min(&most);
        let guesses = best.iter().map(|place| Guess { value: function.values[*place], probability: None }).collect();
        rows.push(Row { seen: seen(view, observer), alike, guesses, posterior: Some([&mass * &share, score]) });
        Ok(())
    })?;
    Ok(rows)
}

/// How many views there are, but for changes of places within classes: of n parties with o outcomes each
/// `binomial(n + o - 1, n)`.
pub(super) fn count(channels: &[Option<Channel<Number>>], classes: &[usize]) -> u64 {
    let mut sizes: BTreeMap<usize, u32> = BTreeMap::new();
    classes.iter().for_each(|class| *sizes.entry(*class).or_default() += 1);
    let of = |(class, n): (&usize, &u32)| {
        let outcomes = if channels[*class].as_ref().is_some_and(|channel| channel.told.is_some()) { 4 } else { 2 };
        Integer::from(Integer::binomial_u(n + outcomes - 1, *n))
    };
    sizes.iter().map(of).product::<Integer>().to_u64().unwrap_or(u64::MAX)
}

/// The places of all largest scores, in order; `decided` compares those that do not compare as numbers.
fn best(scores: &[Number], decided: impl Fn(usize, usize) -> Result<Ordering, Error>) -> Result<Vec<usize>, Error> {
    let mut best = vec![0];
    for place in 1..scores.len() {
        let order = match scores[place].compare(&scores[best[0]]) {
            Some(order) => order,
            None => decided(place, best[0])?,
        };
        match order {
            Ordering::Greater => best = vec![place],
            Ordering::Equal => best.push(place),
            Ordering::Less => {}
        }
    }
    Ok(best)
}

/// The order of the scores of two guesses at a view: the sign of the sum of exponentials that the head of this file
/// has, where it may be a tie.
fn order(
    function: &Function,
    parties: &[Privacy],
    view: &View,
    observer: Observer,
    a: usize,
    b: usize,
) -> Result<Ordering, Error> {
    let k = function.parties;
    let bit = |x: usize, i: usize| x >> (k - 1 - i) & 1;
    let certain = |i: usize| view[i] > 1 || observer == Observer::Party(i + 1);
    let mut distinct: Vec<&Real> = Vec::new();
    let kinds: Vec<usize> = parties
        .iter()
        .map(|party| {
            let known = distinct.iter().position(|epsilon| **epsilon == party.epsilon);
            known.unwrap_or_else(|| {
                distinct.push(&party.epsilon);
                distinct.len() - 1
            })
        })
        .collect();
    // By how many answers of each epsilon are true.
    let mut counted: HashMap<Vec<u32>, Rational> = HashMap::new();
    for x in (0..1_usize << k).filter(|x| (0..k).all(|i| !certain(i) || bit(*x, i) == view[i] % 2)) {
        let mut counts = vec![0; distinct.len()];
        (0..k).filter(|i| !certain(*i) && bit(x, *i) == view[*i]).for_each(|i| counts[kinds[i]] += 1);
        let scores = &function.score[function.place(x)];
        *counted.entry(counts).or_default() += Rational::from(&scores[a] - &scores[b]);
    }
    let terms = counted.into_iter().filter(|(_, factor)| !factor.is_zero()).map(|(counts, factor)| {
        let parts = distinct.iter().zip(counts).map(|(epsilon, n)| epsilon.mul_rational(&Rational::from(n)));
        let exponent = Real::sum(&parts.collect::<Vec<_>>());
        Ok(exponent.exp()?.mul_rational(&factor))
    });
    let difference = Real::sum(&terms.collect::<Result<Vec<_>, Error>>()?);
    if difference.is_zero() {
        return Ok(Ordering::Equal);
    }
    difference.sign().ok_or_else(|| Error::undecided("cannot decide which of two guesses is more likely"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::theorem::multiparty::{accuracy, worst_accuracy, worst_rule};

    fn q(numer: i64, denom: i64) -> Rational {
        Rational::from((numer, denom))
    }

    fn party(x: Rational, delta: Rational) -> Privacy {
        Privacy { epsilon: Real::from(x).ln().expect("positive"), delta: Real::from(delta) }
    }

    fn named(name: &str, parties: usize) -> Function {
        Function::parse(name, Some(parties)).expect("a function")
    }

    fn values(row: &Row) -> Vec<u8> {
        row.guesses.iter().map(|guess| guess.value).collect()
    }

    fn exact(numbers: &[Number; 2]) -> [Rational; 2] {
        [0, 1].map(|i| numbers[i].exact().expect("rational").clone())
    }

    fn rows(function: &Function, parties: &[Privacy], observer: Observer) -> Vec<Row> {
        rule(function, parties, observer, 64, &Budget::default()).expect("a rule")
    }

    /// `P(seen | bit)`, straight from the definition of the protocol.
    fn mass(seen: Seen, bit: bool, x: &Rational, delta: &Rational) -> Rational {
        let kept = Rational::from(1 - delta) / Rational::from(1 + x);
        match seen {
            Seen::Answer(answer) if answer == bit => kept * x,
            Seen::Answer(_) => kept,
            Seen::Known(known) => {
                if known == bit {
                    delta.clone()
                } else {
                    Rational::new()
                }
            }
            Seen::Own(own) => Rational::from(u32::from(own == bit)),
        }
    }

    /// Two parties with x = 3, by hand: after 11 the conjunction is 1 with `9/16`, after 01 it is 0 with `13/16`. A
    /// wrong 0 that costs five times as much as a wrong 1 turns the guess after 01: `5 * 3/16 > 13/16`.
    #[test]
    fn conjunction_by_hand() {
        let and = named("and", 2);
        let parties = vec![party(q(3, 1), Rational::new()); 2];
        let found = rows(&and, &parties, Observer::Central);
        let expected = [
            ([false, false], 1, q(5, 32), 0, q(15, 16)),
            ([false, true], 2, q(3, 8), 0, q(13, 16)),
            ([true, true], 1, q(9, 32), 1, q(9, 16)),
        ];
        let mut total = Rational::new();
        for (row, (answers, alike, _, guess, posterior)) in found.iter().zip(&expected) {
            assert_eq!(row.seen, answers.map(Seen::Answer));
            assert_eq!((row.alike.clone(), values(row)), (Integer::from(*alike), vec![*guess]));
            let [probability, score] = exact(row.posterior.as_ref().expect("uniform bits"));
            assert_eq!((probability.clone(), &score), (q(*alike, 4), posterior));
            total += probability * score;
        }
        assert_eq!(found.len(), 3);
        assert_eq!(total, q(9 + 15 + 26, 64));
        let scored = and.scored(vec![vec![q(1, 1), q(0, 1)], vec![q(0, 1), q(5, 1)]]).expect("a score");
        let found = rows(&scored, &parties, Observer::Central);
        assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [[0], [1], [1]]);
        assert_eq!(exact(found[1].posterior.as_ref().expect("uniform bits"))[1], q(15, 16));
    }

    /// Exact ties are named as ties, also where masses are no fractions.
    #[test]
    fn ties_are_listed() {
        for epsilon in ["ln(3)", "1", "sqrt(2)"] {
            let party = Privacy { epsilon: epsilon.parse().expect("a constant"), delta: Real::zero() };
            let found = rows(&named("majority", 3), &vec![party.clone(); 3], Observer::Party(1));
            assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [[0], [0], [1], [0], [1], [1]], "{epsilon}");
            let found = rows(&named("0110", 2), &[party.clone(), party.clone()], Observer::Central);
            assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [[0], [1], [0]], "{epsilon}");
            let found = rows(&named("01", 1), &[Privacy { epsilon: Real::zero(), ..party.clone() }], Observer::Central);
            assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [[0, 1], [0, 1]], "{epsilon}");
            let found = rows(
                &named("0011", 2),
                &[Privacy { epsilon: Real::zero(), ..party.clone() }, party],
                Observer::Central,
            );
            assert!(found.iter().all(|row| values(row) == [0, 1]), "{epsilon}");
        }
        // At e^(1/2) e^(1/2) = e two true answers of the first parties are worth as much as one of the third: after 110
        // the values 0 at 110 and 2 at 001 have the masses e^2 and 1, and 3 at 000 and 4 at 111 have e both.
        let parties = ["1/2", "1/2", "1"];
        let parties =
            parties.map(|epsilon| Privacy { epsilon: epsilon.parse().expect("a constant"), delta: Real::zero() });
        let score = [[0, 0, 0, 0, 0], [0; 5], [0; 5], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]];
        let score = score.iter().map(|row| row.iter().map(|w| q(*w, 1)).collect()).collect();
        let function = Function::parse("32111104", None).expect("a table").scored(score).expect("a score");
        let found = rows(&function, &parties, Observer::Central);
        let after = found.iter().find(|row| row.seen == [true, true, false].map(Seen::Answer)).expect("a row");
        assert_eq!(values(after), [3, 4]);
    }

    #[test]
    fn too_many_rows_are_refused() {
        let parties: Vec<Privacy> = (0..12).map(|i| party(q(3 + i, 2), Rational::new())).collect();
        assert_eq!(rows(&named("xor", 12), &parties, Observer::Central).len(), 4096);
        let parties: Vec<Privacy> = (0..7).map(|i| party(q(3 + i, 2), q(1, 10))).collect();
        let refused = rule(&named("xor", 7), &parties, Observer::Central, 64, &Budget::default());
        assert!(matches!(refused, Err(Error::Input(_))));
        // Equal parties share their rows.
        assert_eq!(rows(&named("majority", 12), &vec![party(q(3, 1), q(1, 10)); 12], Observer::Central).len(), 455);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// For every view no guess is better than those listed, each listed one is as good, and the sum over all rows
        /// is the accuracy: all in fractions, by the definition, and for any score.
        #[test]
        fn rows_are_the_best_guesses(
            table in 0u32..6561, numer in 5i64..20, told in 0i64..3, own in 0usize..4,
            weights in prop::collection::vec(-3i64..6, 9),
        ) {
            let text: String = (0..8).map(|x| char::from(b'0' + (table / 3_u32.pow(x) % 3) as u8)).collect();
            let plain = Function::parse(&text, None).expect("a table");
            let n = plain.values.len();
            let score: Vec<Vec<Rational>> =
                (0..n).map(|y| (0..n).map(|g| q(weights[3 * y + g], 2)).collect()).collect();
            let function = plain.scored(score.clone()).expect("a score");
            let of = [(q(numer, 5), q(told, 9)), (q(7, 5), q(0, 1)), (q(numer, 5), q(told, 9))];
            let parties = of.clone().map(|(x, delta)| party(x, delta));
            let observer = if own == 0 { Observer::Central } else { Observer::Party(own) };
            let (mut total, mut whole) = (Rational::new(), Rational::new());
            for row in rows(&function, &parties, observer) {
                let p = |x: usize| -> Rational {
                    (0..3).map(|i| mass(row.seen[i], x >> (2 - i) & 1 == 1, &of[i].0, &of[i].1)).product()
                };
                let place = |x: usize| function.values.iter().position(|v| *v == function.table[x]).expect("a value");
                let scores: Vec<Rational> =
                    (0..n).map(|g| (0..8).map(|x| &score[place(x)][g] * p(x)).sum()).collect();
                let most = scores.iter().max().expect("a guess");
                let listed: Vec<u8> =
                    (0..n).filter(|g| scores[*g] == *most).map(|g| function.values[g]).collect();
                prop_assert_eq!(values(&row), listed);
                let [probability, posterior] = exact(row.posterior.as_ref().expect("uniform bits"));
                let mass: Rational = (0..8).map(p).sum();
                prop_assert_eq!(&probability, &(Rational::from(&mass * &row.alike) / 8));
                prop_assert_eq!(&posterior, &(most / mass));
                whole += &probability;
                total += probability * posterior;
            }
            prop_assert_eq!(whole, 1);
            let best = accuracy(&function, &parties, observer, 64, &Budget::default()).expect("a number");
            prop_assert_eq!(best.exact(), Some(&total));
            prop_assert!(total >= function.blind(observer));
        }

        /// With delta = 0 the best guess of the exclusive or is that of the answers and of the own bit.
        #[test]
        fn exclusive_or_is_that_of_the_answers(x in prop::collection::vec(6i64..40, 4), own in 0usize..5) {
            let parties: Vec<Privacy> = x.iter().map(|x| party(q(*x, 5), Rational::new())).collect();
            let observer = if own == 0 { Observer::Central } else { Observer::Party(own) };
            for row in rows(&named("xor", 4), &parties, observer) {
                let ones = row.seen.iter().filter(|seen| matches!(seen, Seen::Answer(true) | Seen::Own(true))).count();
                prop_assert_eq!(values(&row), vec![(ones % 2) as u8]);
            }
        }

        /// The rule at the worst bits has, at every x, at least the accuracy that is the best at the worst bits, and at
        /// one x no more: by the definition, for any score.
        #[test]
        fn worst_rules_have_the_worst_accuracy(
            table in 0u32..16, numer in 5i64..20, told in 0i64..3, own in 0usize..3,
            weights in prop::collection::vec(-3i64..6, 4),
        ) {
            let text: String = (0..4).map(|x| if table >> x & 1 == 1 { '1' } else { '0' }).collect();
            let plain = Function::parse(&text, None).expect("a table");
            let n = plain.values.len();
            let score: Vec<Vec<Rational>> =
                (0..n).map(|y| (0..n).map(|g| q(weights[2 * y + g], 2)).collect()).collect();
            let function = plain.scored(score.clone()).expect("a score");
            // Other parties, so that each view is a row of its own.
            let of = [(q(numer, 5), q(told, 9)), (q(37, 5), q(1, 9))];
            let parties = of.clone().map(|(x, delta)| party(x, delta));
            let observer = if own == 0 { Observer::Central } else { Observer::Party(own) };
            let found = worst_rule(&function, &parties, observer, &Budget::default()).expect("a rule");
            let at = |x: usize| -> Rational {
                let place = |value: u8| function.values.iter().position(|v| *v == value).expect("a value");
                found.iter().map(|row| {
                    let p = |i: usize| mass(row.seen[i], x >> (1 - i) & 1 == 1, &of[i].0, &of[i].1);
                    let p: Rational = (0..2).map(p).product();
                    let share = |guess: &Guess| guess.probability.clone().expect("a random rule");
                    let expected: Rational = row.guesses.iter()
                        .map(|guess| share(guess) * &score[place(function.table[x])][place(guess.value)]).sum();
                    p * expected
                }).sum()
            };
            for row in &found {
                let whole: Rational = row.guesses.iter().map(|guess| guess.probability.clone().expect("a share")).sum();
                prop_assert_eq!(whole, 1);
                prop_assert_eq!(&row.alike, &1);
            }
            let worst = worst_accuracy(&function, &parties, observer, 64, &Budget::default()).expect("a number");
            let least = (0..4).map(at).min();
            prop_assert_eq!(least.as_ref(), worst.exact());
        }
    }
}
