//! How well functions of private bits are computed: exclusive or, and, majority, and tables.

use dpcert_vectors::{Bits, Exact, Game};
use num_rational::BigRational;

use crate::query::QuantityName;
use crate::vector::convert;
use enclosure::Real;

use super::Flag::{Edge, Heterogeneous, Ordinary, TinyEpsilon};
use super::{Flag, Suite};

/// The function, how many parties, their epsilons and deltas (one for all, or one for each).
type Played = (&'static str, u32, &'static [&'static str], &'static [&'static str], &'static [Flag], &'static str);

const GAMES: [Played; 32] = [
    ("xor", 1, &["1"], &["0"], &[Edge], "one party: its own bit"),
    ("xor", 2, &["ln(3)"], &["0"], &[Ordinary], "two parties, e^epsilon a fraction"),
    ("xor", 3, &["ln(3)"], &["0"], &[Ordinary], "three parties"),
    ("xor", 4, &["1"], &["0"], &[Ordinary], "four parties, e^epsilon irrational"),
    ("xor", 6, &["2"], &["0"], &[Ordinary], "six parties"),
    ("xor", 3, &["1/1000000"], &["0"], &[TinyEpsilon], "little better than guessing"),
    ("xor", 3, &["ln(3)", "ln(3/2)", "1/2"], &["0"], &[Heterogeneous], "a product over the parties"),
    ("xor", 2, &["ln(3)"], &["1/10"], &[Ordinary], "the bit is revealed with some probability"),
    ("xor", 3, &["1", "1/2", "0"], &["1/100", "0", "1/3"], &[Heterogeneous], "one party reveals its bit or nothing"),
    ("and", 2, &["ln(3)"], &["0"], &[Ordinary], "two parties"),
    ("and", 2, &["ln(7/5)"], &["0"], &[Ordinary], "reports so noisy that the best guess rarely changes"),
    ("and", 3, &["1"], &["0"], &[Ordinary], "three parties"),
    ("and", 3, &["1/10"], &["0"], &[Ordinary], "no transcript favours 1: the best guess ignores it"),
    ("and", 4, &["2", "1", "1/2", "1/4"], &["0"], &[Heterogeneous], "four different parties"),
    ("and", 3, &["ln(2)"], &["1/20"], &[Ordinary], "the bit is revealed with some probability"),
    ("or", 3, &["ln(2)"], &["1/20"], &[Ordinary], "the mirror image of and"),
    ("or", 5, &["3/2"], &["0"], &[Ordinary], "five parties"),
    ("majority", 3, &["ln(3)"], &["0"], &[Ordinary], "three parties"),
    ("majority", 3, &["1", "1", "5"], &["0"], &[Heterogeneous], "one party determines the guess"),
    ("majority", 4, &["1"], &["0"], &[Ordinary], "a tie is not a majority"),
    ("majority", 5, &["1/2"], &["0"], &[Ordinary], "five parties"),
    ("majority", 5, &["ln(3)"], &["0"], &[Ordinary], "five parties, a rational accuracy"),
    ("majority", 7, &["ln(2)"], &["0"], &[Ordinary], "seven parties"),
    ("majority", 3, &["ln(3)"], &["1/4"], &[Ordinary], "the bit is revealed with some probability"),
    ("0110", 2, &["1"], &["0"], &[Ordinary], "exclusive or as a table"),
    ("0010", 2, &["ln(3)", "1/3"], &["0"], &[Heterogeneous], "the first party without the second"),
    ("0120", 2, &["1"], &["0"], &[Ordinary], "three values"),
    ("0123", 2, &["ln(4)"], &["1/8"], &[Ordinary], "all bits"),
    ("01101000", 3, &["3/4"], &["0"], &[Ordinary], "exactly one bit"),
    ("00010111", 3, &["2", "1", "1/2"], &["0", "1/10", "0"], &[Heterogeneous], "majority as a table"),
    ("0000000000000001", 4, &["ln(5)"], &["0"], &[Ordinary], "and as a table"),
    ("11", 1, &["1"], &["0"], &[Edge], "a constant"),
];

/// The suites.
pub fn suites() -> Vec<Suite> {
    let mut suite = Suite::new(
        "multiparty",
        QuantityName::Accuracy,
        "Functions of private bits: largest probability of a correct guess",
        "The best guess is the likeliest value, and it changes with the parameters: closed forms for one range are \
         wrong in another. A party also knows its own bit.",
    );
    for (function, parties, epsilon, delta, flags, comment) in GAMES {
        let all = |list: &[&str]| -> Vec<Exact> {
            (0..parties as usize).map(|i| exact(list.get(i).or(list.first()).copied().unwrap_or("0"))).collect()
        };
        let observers = if parties == 1 || flags.contains(&TinyEpsilon) { vec![0] } else { vec![0, 1, parties] };
        for observer in observers {
            let (name, who) = match observer {
                0 => ("central".to_string(), "the central observer"),
                party => (party.to_string(), "a party that knows its own bit"),
            };
            let game = Game {
                function: function.to_string(),
                parties,
                epsilon: all(epsilon),
                delta: all(delta),
                observer: name,
                bits: Bits::Average,
            };
            suite.ask_game(flags, format!("{comment}; {who}"), game);
        }
    }
    vec![suite]
}

/// A constant as it is stored; what is none is refused when it is asked.
pub(super) fn exact(text: &str) -> Exact {
    let read = text.parse::<Real>().ok().and_then(|value| convert::exact(&value).ok());
    read.unwrap_or_else(|| Exact::from(BigRational::default()))
}
