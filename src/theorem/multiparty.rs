//! How well a function of private bits can be computed: Kairouz, Oh and Viswanath, Section 5.
//!
//! Each of k parties has a bit and may publish only what is `(epsilon_i, delta_i)`-private in it. Theorem (KOV, Section
//! 5): that each publishes one draw of randomised response (with probability `delta_i` the bit itself, known to be it)
//! is optimal at once for every function, every score and every observer. With uniform bits the best guess of an
//! observer is the value of largest posterior mass, and its accuracy is
//!
//! ```text
//! 2^-k sum over transcripts t of  max_y  sum over x with f(x) = y of  P(t | x),
//! ```
//!
//! a party knowing its own bit as well. It is rational in `x = e^epsilon` and the deltas: [`accuracy`] is exact where
//! these are, and [`formula`] is it as a function of x, valid at least where it was asked for. The same theorem holds
//! of the accuracy at the worst bits, where the best guess is the solution of a game: [`worst_accuracy`].
//! The best guesses themselves are listed by [`rule`] and [`worst_rule`]. (`proofs/paper/multiparty.md`)
//!
//! **Scores.** Instead of counting right guesses, a guess g where the value is y may be worth `w(y, g)`, any rational
//! ([`Function::scored`]). In all formulas the mass of the value y is then replaced by the score of the guess g, the
//! sum over x of `w(f(x), g) P(t | x)`. Accuracy is the score that is 1 for the true value and 0 for any other.

mod rule;
mod simplex;
mod worst;

use std::cmp::Ordering;

use rug::{Integer, Rational};

pub use rule::{Guess, Row, Seen, rule};
use worst::{arrangements, classes};
pub use worst::{worst_accuracy, worst_blind, worst_rule};

use crate::error::Error;
use enclosure::{Brief, Budget, Need, Number, Polynomial, RationalFunction, Real};

/// The most parties of a named function, and the most outcomes of all channels together.
const MOST_PARTIES: usize = 12;
const MOST_LEAVES: u64 = 1 << 18;

/// Largest precision, in bits, at which the signs of nonzero polynomials are decided.
const SIGN_BITS: u32 = 1 << 16;

/// A function of a few bits, by its table, and what a guess of its value is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    parties: usize,
    /// The value at 00...0, 00...1, and so on; the first party has the first bit.
    table: Vec<u8>,
    /// The values, each once, in increasing order.
    values: Vec<u8>,
    /// `w(y, g)`: a row for each value y, in it an entry for each guess g, both in increasing order.
    score: Vec<Vec<Rational>>,
}

impl Function {
    /// Parse `xor`, `and`, `or` or `majority` (1 if more than half of the bits are 1) with a number of parties, or a
    /// table of digits such as `0110`.
    ///
    /// # Errors
    /// [`Error::Input`] for what is none of these.
    pub fn parse(text: &str, parties: Option<usize>) -> Result<Self, Error> {
        let named: Option<fn(u32, u32) -> bool> = match text {
            "xor" => Some(|ones, _| ones % 2 == 1),
            "and" => Some(|ones, of| ones == of),
            "or" => Some(|ones, _| ones > 0),
            "majority" => Some(|ones, of| 2 * ones > of),
            _ => None,
        };
        let Some(named) = named else { return Self::of_table(text, parties) };
        let Some(parties) = parties else {
            return Err(Error::input(format!("the function {text} needs a number of parties; add --parties N")));
        };
        check_parties(parties)?;
        let value = |x: usize| u8::from(named(x.count_ones(), parties as u32));
        Ok(Self::new(parties, (0..1_usize << parties).map(value).collect()))
    }

    /// Right guesses are worth 1, wrong ones 0.
    fn new(parties: usize, table: Vec<u8>) -> Self {
        let mut values = table.clone();
        values.sort_unstable();
        values.dedup();
        let row = |y| (0..values.len()).map(|g| Rational::from(u32::from(y == g))).collect();
        let score = (0..values.len()).map(row).collect();
        Function { parties, table, values, score }
    }

    /// The same function where a guess has this score: a row for each value, in increasing order, and in it an entry
    /// for each guess. Any rationals are possible, negative ones too.
    ///
    /// # Errors
    /// [`Error::Input`] for a matrix of another shape.
    pub fn scored(self, score: Vec<Vec<Rational>>) -> Result<Self, Error> {
        let n = self.values.len();
        let wrong = score.iter().map(Vec::len).find(|columns| *columns != n);
        if score.len() != n || wrong.is_some() {
            let columns = wrong.unwrap_or(n);
            return Err(Error::input(format!(
                "the function has {n} values, so the score must be a {n} by {n} matrix, not {} by {columns}",
                score.len()
            )));
        }
        Ok(Function { score, ..self })
    }

    fn of_table(text: &str, parties: Option<usize>) -> Result<Self, Error> {
        let table: Option<Vec<u8>> =
            text.chars().map(|c| c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())).collect();
        let table = table.filter(|table| table.len() >= 2 && table.len().is_power_of_two()).ok_or_else(|| {
            Error::input(
                "the function must be xor, and, or, majority, or a table of 2, 4, 8, ... digits, such as 0110 for its \
                 values at 00, 01, 10, 11",
            )
        })?;
        let bits = table.len().trailing_zeros() as usize;
        check_parties(bits)?;
        if parties.is_some_and(|parties| parties != bits) {
            return Err(Error::input(format!("a table of {} values needs {bits} parties", table.len())));
        }
        Ok(Self::new(bits, table))
    }

    /// How many bits.
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// The place of the value at these bits among all values.
    fn place(&self, x: usize) -> usize {
        self.values.partition_point(|value| *value < self.table[x])
    }

    /// For each guess its score at all bits.
    fn scores<T>(&self, entry: impl Fn(&Rational) -> T) -> Vec<Vec<T>> {
        let of = |guess: usize| (0..self.table.len()).map(|x| entry(&self.score[self.place(x)][guess])).collect();
        (0..self.values.len()).map(of).collect()
    }

    /// No guess has a larger score than this.
    pub fn largest_score(&self) -> Rational {
        self.score.iter().flatten().max().cloned().unwrap_or_default()
    }

    /// Does the observer have this bit as its own? One without an own bit is counted as having a 0.
    fn owns(&self, observer: Observer, bit: bool, x: usize) -> bool {
        match observer {
            Observer::Central => !bit,
            Observer::Party(i) => (x >> (self.parties - i) & 1 == 1) == bit,
        }
    }

    /// The accuracy of the best guess without any transcript.
    pub fn blind(&self, observer: Observer) -> Rational {
        let scores = self.scores(Rational::clone);
        let largest = |bit: bool| {
            let owned = |score: &Vec<Rational>| -> Rational {
                (0..self.table.len()).filter(|x| self.owns(observer, bit, *x)).map(|x| &score[x]).sum()
            };
            scores.iter().map(owned).max().unwrap_or_default()
        };
        (largest(false) + largest(true)) >> self.parties as u32
    }
}

fn check_parties(parties: usize) -> Result<(), Error> {
    match parties {
        1..=MOST_PARTIES => Ok(()),
        _ => Err(Error::input(format!("the number of parties must be from 1 to {MOST_PARTIES}, not {parties}"))),
    }
}

/// The observer who guesses the value of the function (Kairouz, Oh and Viswanath, Section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// A central observer, who sees the transcript only.
    Central,
    /// The party with this number, counted from 1, which also knows its own bit.
    Party(usize),
}

/// What a party's bit becomes.
#[derive(Clone, Debug)]
pub struct Privacy {
    /// `epsilon >= 0`.
    pub epsilon: Real,
    /// `0 <= delta <= 1`.
    pub delta: Real,
}

impl Privacy {
    fn check(&self) -> Result<(), Error> {
        let Privacy { epsilon, delta } = self;
        match (epsilon.sign(), delta.sign(), delta.compare(&Real::one())) {
            (Some(Ordering::Less), _, _) => {
                Err(Error::Undefined(format!("epsilon must be at least 0, not {}", Brief(epsilon))))
            }
            (_, Some(Ordering::Less), _) | (_, _, Some(Ordering::Greater)) => {
                Err(Error::Undefined(format!("delta must be between 0 and 1, not {delta}")))
            }
            (None, ..) | (_, None, _) | (.., None) => {
                Err(Error::undecided("cannot decide whether epsilon >= 0 and 0 <= delta <= 1"))
            }
            _ => Ok(()),
        }
    }
}

/// The masses of a party's outcomes: the true answer, the false one, and the bit itself; the last is left out where it
/// cannot happen.
#[derive(Clone)]
struct Channel<T> {
    right: T,
    wrong: T,
    told: Option<T>,
}

impl Channel<Number> {
    /// Of what is private so far.
    fn of(privacy: &Privacy, bits: u32) -> Self {
        let one = Number::one();
        let (x, delta) = (privacy.epsilon.exp_number(bits), privacy.delta.number(bits));
        let wrong = &(&one - &delta) / &(&one + &x);
        Channel { right: &wrong * &x, wrong, told: (!privacy.delta.is_zero()).then_some(delta) }
    }
}

/// What a sum over transcripts needs of numbers, and of polynomials.
trait Mass: Clone {
    fn add(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
}

impl Mass for Number {
    fn add(&self, other: &Self) -> Self {
        self + other
    }

    fn mul(&self, other: &Self) -> Self {
        self * other
    }
}

impl Mass for Polynomial {
    fn add(&self, other: &Self) -> Self {
        self + other
    }

    fn mul(&self, other: &Self) -> Self {
        self * other
    }
}

/// What the observer sees of each party: 0 and 1 are its answer, or the observer's own bit; 2 and 3 are a 0 and a 1
/// known to be the bit.
type View = [usize];

/// A function called at each view, with one number for each table.
type Leaf<'a, T> = dyn FnMut(&View, Vec<T>) -> Result<(), Error> + 'a;

/// Visit all outcomes of the channels, with what `leaf` is to know of each: the view, and for each table the sum of its
/// entries times the masses of the view. `tables` has an entry for each setting of the bits that are still to come;
/// `None` is the channel of the observer's own bit, which is seen as it is.
///
/// Of views that differ by a change of places within a class of parties, only the one is visited in which the outcomes
/// do not fall within a class. `classes` has for each party the first one of its class.
fn transcripts<T: Mass>(
    (channels, classes): (&[Option<Channel<T>>], &[usize]),
    view: &mut Vec<usize>,
    tables: Vec<Vec<T>>,
    budget: &Budget,
    leaf: &mut Leaf<'_, T>,
) -> Result<(), Error> {
    let at = view.len();
    let Some(channel) = channels.get(at) else {
        return leaf(view, tables.into_iter().filter_map(|table| table.into_iter().next()).collect());
    };
    let left = channels.len() - at - 1;
    if left > 5 {
        budget.check()?;
    }
    let half = 1_usize << left;
    let least = (0..at).rev().find(|j| classes[*j] == classes[at]).map_or(0, |j| view[j]);
    let mut go = |outcome: usize, mixed: &dyn Fn(&T, &T) -> T| {
        if outcome < least {
            return Ok(());
        }
        let mix = |table: &Vec<T>| (0..half).map(|x| mixed(&table[x], &table[half + x])).collect();
        view.push(outcome);
        let found = transcripts((channels, classes), view, tables.iter().map(mix).collect(), budget, leaf);
        view.pop();
        found
    };
    match channel {
        None => {
            go(0, &|zero, _| zero.clone())?;
            go(1, &|_, one| one.clone())
        }
        Some(Channel { right, wrong, told }) => {
            go(0, &|zero, one| right.mul(zero).add(&wrong.mul(one)))?;
            go(1, &|zero, one| wrong.mul(zero).add(&right.mul(one)))?;
            if let Some(told) = told {
                go(2, &|zero, _| told.mul(zero))?;
                go(3, &|_, one| told.mul(one))?;
            }
            Ok(())
        }
    }
}

/// One channel for each party.
fn channels<T>(
    function: &Function,
    observer: Observer,
    channel: impl Fn(usize) -> Channel<T>,
) -> Result<Vec<Option<Channel<T>>>, Error> {
    if let Observer::Party(own) = observer
        && !(1..=function.parties).contains(&own)
    {
        return Err(no_party(own, function));
    }
    Ok((0..function.parties).map(|i| (observer != Observer::Party(i + 1)).then(|| channel(i))).collect())
}

fn no_party(own: usize, function: &Function) -> Error {
    Error::input(format!("there is no party {own}; the parties are 1 to {}", function.parties))
}

/// Is it a question, as far as that takes no time?
///
/// # Errors
/// Those of [`accuracy`] that are no lack of time.
pub fn check(function: &Function, parties: &[Privacy], observer: Observer) -> Result<(), Error> {
    match observer {
        Observer::Party(own) if !(1..=function.parties).contains(&own) => Err(no_party(own, function)),
        _ => match check_privacies(function, parties) {
            Err(Error::Undecided(_)) => Ok(()),
            checked => checked,
        },
    }
}

/// One privacy for each party, each of which is one.
fn check_privacies(function: &Function, parties: &[Privacy]) -> Result<(), Error> {
    if parties.len() != function.parties {
        return Err(Error::input(format!(
            "the function has {} parties, but {} privacy parameters were given; give one \
                                         for each party",
            function.parties,
            parties.len()
        )));
    }
    parties.iter().try_for_each(Privacy::check)
}

/// The best accuracy of this observer, averaged over all bits (Kairouz, Oh and Viswanath, Section 5, where randomised
/// response is optimal for all functions at once). The paper gives the accuracy of single functions with equal epsilons
/// and delta 0. This function sums over all transcripts, for any function and any privacy parameters. The result is
/// exact if `e^epsilon` and delta of all parties are rational.
///
/// # Errors
/// [`Error::Undefined`] for an epsilon below 0 and a delta outside `[0, 1]`, [`Error::Undecided`] beyond the budget.
pub fn accuracy(
    function: &Function,
    parties: &[Privacy],
    observer: Observer,
    bits: u32,
    budget: &Budget,
) -> Result<Number, Error> {
    check_privacies(function, parties)?;
    let wide = bits.saturating_add(32);
    let channels = channels(function, observer, |i| Channel::of(&parties[i], wide))?;
    let classes = classes(function, parties, observer);
    let relax = "try fewer parties, delta = 0, or parties with equal parameters";
    let (count, bytes) = (rule::count(&channels, &classes), 64 << function.parties);
    budget.afford(&Need { what: "transcripts", count, most: MOST_LEAVES, bytes, relax })?;
    let tables = function.scores(|score| Number::Exact(score.clone()));
    let mut sum = Number::zero();
    transcripts((&channels, &classes), &mut Vec::new(), tables, budget, &mut |view, scores| {
        let largest = scores.into_iter().reduce(|largest, score| largest.max(&score));
        let alike = Number::Exact(Rational::from(arrangements(view, &classes)));
        sum = &sum + &(&alike * &largest.unwrap_or_else(Number::zero));
        Ok(())
    })?;
    let mean = &sum * &Number::Exact(Rational::from((1, Integer::from(1) << function.parties as u32)));
    Ok(mean.min(&Number::Exact(function.largest_score())))
}

/// The same for parties that are all `epsilon`-private with delta 0, as a rational function of `x = e^epsilon`: at this
/// epsilon, and wherever no observer guesses otherwise.
///
/// Which value has the larger mass is the sign of a polynomial with integer coefficients at x. It is proven;
/// polynomials that are the same are a tie, where either guess does. (At an x that is transcendental there are no other
/// ties.)
///
/// # Errors
/// As [`accuracy`]; undecided also where two polynomials are not told apart.
pub fn formula(
    function: &Function,
    epsilon: &Real,
    observer: Observer,
    budget: &Budget,
) -> Result<RationalFunction, Error> {
    let party = Privacy { epsilon: epsilon.clone(), delta: Real::zero() };
    party.check()?;
    // Scores times their common denominator.
    let scale = function.score.iter().flatten().fold(Integer::from(1), |lcm, score| lcm.lcm(score.denom()));
    let entry = |score: &Rational| Polynomial::monomial(Rational::from(score * &scale).into_numer_denom().0, 0);
    let x = Polynomial::monomial(Integer::from(1), 1);
    let channels =
        channels(function, observer, |_| Channel { right: x.clone(), wrong: Polynomial::one(), told: None })?;
    let noisy = channels.iter().flatten().count();
    let classes = classes(function, &vec![party; function.parties], observer);
    let mut sum = Polynomial::zero();
    transcripts((&channels, &classes), &mut Vec::new(), function.scores(entry), budget, &mut |view, scores| {
        let mut scores = scores.into_iter();
        let mut largest = scores.next().unwrap_or_else(Polynomial::zero);
        for score in scores {
            if is_larger(&score, &largest, epsilon, budget)? {
                largest = score;
            }
        }
        sum = &sum + &(&largest * &Polynomial::monomial(arrangements(view, &classes), 0));
        Ok(())
    })?;
    let share = Rational::from((1, scale)) >> function.parties as u32;
    Ok(RationalFunction::new(sum, 0, noisy as u32).mul_rational(&share))
}

/// Is the one polynomial larger than the other at `e^epsilon`?
fn is_larger(a: &Polynomial, b: &Polynomial, epsilon: &Real, budget: &Budget) -> Result<bool, Error> {
    let difference = a - b;
    if difference.is_zero() {
        return Ok(false);
    }
    let mut bits = 128;
    while bits <= SIGN_BITS.min(budget.max_bits()) {
        if let Some(sign) = difference.evaluate(&epsilon.exp_number(bits)).sign() {
            return Ok(sign == Ordering::Greater);
        }
        bits *= 4;
    }
    Err(Error::undecided("cannot decide which of two guesses is more likely"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn real(text: &str) -> Real {
        text.parse().expect("a constant")
    }

    fn q(numer: u32, denom: u32) -> Rational {
        Rational::from((numer, denom))
    }

    /// Parties with `e^epsilon = x` and delta.
    fn parties(of: &[(Rational, Rational)]) -> Vec<Privacy> {
        let one = |(x, delta): &(Rational, Rational)| Privacy {
            epsilon: Real::from(x.clone()).ln().expect("positive"),
            delta: Real::from(delta.clone()),
        };
        of.iter().map(one).collect()
    }

    fn exact(function: &Function, of: &[(Rational, Rational)], observer: Observer) -> Rational {
        let number = accuracy(function, &parties(of), observer, 64, &Budget::default()).expect("a number");
        number.exact().expect("rational").clone()
    }

    /// `P(outcome | bit)`: 0 and 1 are answers, 2 and 3 the bit itself.
    fn mass(outcome: usize, bit: usize, (x, delta): &(Rational, Rational)) -> Rational {
        let kept = Rational::from(1 - delta) / Rational::from(1 + x);
        match outcome {
            0 | 1 if outcome == bit => kept * x,
            0 | 1 => kept,
            _ if outcome - 2 == bit => delta.clone(),
            _ => Rational::new(),
        }
    }

    /// The accuracy of the best of *all* rules from transcripts (and the own bit) to values, each tried: another way to
    /// the number, which knows nothing of posteriors.
    fn best_rule(function: &Function, of: &[(Rational, Rational)], own: Option<usize>) -> Rational {
        let k = function.parties;
        let bit = |x: usize, i: usize| x >> (k - 1 - i) & 1;
        let outcomes = if of.iter().all(|(_, delta)| *delta == 0) { 2_usize } else { 4 };
        let views = outcomes.pow(k as u32) * 2;
        let digit = |view: usize, i: usize| view / 2 / outcomes.pow(i as u32) % outcomes;
        // Joint masses of views and values; what is not the observer's own bit is the last digit of every view.
        let mut joint = vec![[Rational::new(), Rational::new()]; views];
        for x in 0..1 << k {
            for (view, masses) in joint.iter_mut().enumerate() {
                let seen = own.map_or(0, |own| bit(x, own));
                if view % 2 != seen {
                    continue;
                }
                let p: Rational = (0..k).map(|i| mass(digit(view, i), bit(x, i), &of[i])).product();
                masses[usize::from(function.table[x])] += p >> k as u32;
            }
        }
        let possible: Vec<_> = joint.into_iter().filter(|[a, b]| *a != 0 || *b != 0).collect();
        assert!(possible.len() <= 16, "{} views", possible.len());
        let score = |rule: usize| -> Rational {
            possible.iter().enumerate().map(|(view, masses)| masses[rule >> view & 1].clone()).sum()
        };
        (0..1 << possible.len()).map(score).max().expect("a rule")
    }

    /// The paper's example in closed form: `(1 + prod r_i)/2`, `r_i = delta_i + (1 - delta_i)(x_i - 1)/(x_i + 1)`,
    /// without the own bit's factor for a party.
    #[test]
    fn exclusive_or_has_a_closed_form() {
        let of = [(q(3, 1), q(0, 1)), (q(3, 2), q(1, 10)), (q(7, 5), q(1, 3)), (q(1, 1), q(1, 7))];
        let r = |(x, delta): &(Rational, Rational)| {
            delta + Rational::from(1 - delta) * Rational::from(x - 1) / Rational::from(x + 1)
        };
        let xor = Function::parse("xor", Some(4)).expect("a function");
        let closed = |without: Option<usize>| -> Rational {
            let product: Rational = (0..4).filter(|i| Some(*i) != without).map(|i| r(&of[i])).product();
            (product + 1u32) / 2u32
        };
        assert_eq!(exact(&xor, &of, Observer::Central), closed(None));
        for own in 0..4 {
            assert_eq!(exact(&xor, &of, Observer::Party(own + 1)), closed(Some(own)));
        }
    }

    /// Against all rules, for all functions of two bits, some of three, and both kinds of observers.
    #[test]
    fn no_rule_is_better() {
        for table in 0..16u32 {
            let text: String = (0..4).map(|x| if table >> x & 1 == 1 { '1' } else { '0' }).collect();
            let function = Function::parse(&text, None).expect("a table");
            for of in [[(q(3, 1), q(0, 1)), (q(3, 2), q(0, 1))], [(q(2, 1), q(1, 10)), (q(5, 4), q(1, 3))]] {
                assert_eq!(exact(&function, &of, Observer::Central), best_rule(&function, &of, None), "{text}");
            }
            let of = [(q(3, 1), q(0, 1)), (q(3, 2), q(0, 1))];
            for own in 0..2 {
                assert_eq!(exact(&function, &of, Observer::Party(own + 1)), best_rule(&function, &of, Some(own)));
            }
        }
        let of = [(q(3, 1), q(0, 1)), (q(3, 2), q(0, 1)), (q(9, 8), q(0, 1))];
        for name in ["xor", "and", "or", "majority", "01101000"] {
            let function = Function::parse(name, Some(3)).expect("a function");
            assert_eq!(exact(&function, &of, Observer::Central), best_rule(&function, &of, None), "{name}");
            assert_eq!(exact(&function, &of, Observer::Party(2)), best_rule(&function, &of, Some(1)), "{name}");
        }
    }

    /// Ends: nothing is said at epsilon 0, everything at delta 1.
    #[test]
    fn nothing_and_everything() {
        for (name, k) in [("and", 3), ("majority", 5), ("0120", 2), ("11", 1)] {
            let function = Function::parse(name, Some(k)).expect("a function");
            for observer in [Observer::Central, Observer::Party(1)] {
                assert_eq!(exact(&function, &vec![(q(1, 1), q(0, 1)); k], observer), function.blind(observer));
                assert_eq!(exact(&function, &vec![(q(2, 1), q(1, 1)); k], observer), 1);
            }
        }
    }

    #[test]
    fn what_is_no_question_is_refused() {
        for (text, parties) in [
            ("nand", Some(2)),
            ("xor", None),
            ("xor", Some(0)),
            ("xor", Some(13)),
            ("011", None),
            ("0110", Some(3)),
            ("", None),
        ] {
            assert!(matches!(Function::parse(text, parties), Err(Error::Input(_))), "{text}");
        }
        let xor = Function::parse("xor", Some(2)).expect("a function");
        let ask = |epsilon: &str, delta: &str, observer| {
            let party = Privacy { epsilon: real(epsilon), delta: real(delta) };
            accuracy(&xor, &[party.clone(), party], observer, 64, &Budget::default())
        };
        assert!(matches!(ask("-1", "0", Observer::Central), Err(Error::Undefined(_))));
        assert!(matches!(ask("1", "2", Observer::Central), Err(Error::Undefined(_))));
        assert!(matches!(ask("1", "0", Observer::Party(3)), Err(Error::Input(_))));
        assert!(ask("1", "0", Observer::Party(2)).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// The function of x is the number, exactly, whichever table.
        #[test]
        fn formulas_are_the_numbers(table in 0u32..256, numer in 5u32..60, own in 0usize..4) {
            let text: String = (0..8).map(|x| if table >> x & 1 == 1 { '1' } else { '0' }).collect();
            let function = Function::parse(&text, None).expect("a table");
            let x = Rational::from((numer, 5));
            let observer = if own == 0 { Observer::Central } else { Observer::Party(own) };
            let epsilon = Real::from(x.clone()).ln().expect("positive");
            let formula = formula(&function, &epsilon, observer, &Budget::default()).expect("a formula");
            let number = exact(&function, &vec![(x.clone(), Rational::new()); 3], observer);
            let value = formula.evaluate(&Number::Exact(x));
            prop_assert_eq!(value.exact(), Some(&number));
            // More noise never helps, and guessing is always possible.
            prop_assert!(number >= function.blind(observer) && number <= 1);
        }
    }
}
