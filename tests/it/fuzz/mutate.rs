//! Texts made from texts: torn, doubled, nested, spliced, with tokens of the language and numbers beyond reason.

/// Longer texts are cut: what length alone does is asked in [`hostile`](crate::hostile).
const LONGEST: usize = 20_000;

/// Numbers at the ends of types and of reason.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2",
    "1/2",
    "1/3",
    "0.1",
    "1e-6",
    "1e400",
    "1e-400",
    "1e99999",
    "255",
    "65536",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "f64:0x1.8p-1074",
    "nan",
    "inf",
];

/// A source of mutations; the same seed gives the same ones.
pub struct Mutator {
    state: u64,
}

impl Mutator {
    pub fn new(seed: u64) -> Self {
        Mutator { state: seed }
    }

    /// Splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// A place in a text, and an end after it: mostly near.
    fn range(&mut self, text: &[u8]) -> (usize, usize) {
        let start = self.below(text.len() + 1);
        let most = if self.below(4) == 0 { text.len() } else { 12 };
        (start, text.len().min(start + self.below(most) + 1))
    }

    /// A text of the corpus after one to five mutations.
    pub fn text(&mut self, corpus: &[String], tokens: &[&str]) -> String {
        let mut text = corpus[self.below(corpus.len())].clone().into_bytes();
        for _ in 0..=self.below(5) {
            self.mutate(&mut text, corpus, tokens);
        }
        text.truncate(LONGEST);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn mutate(&mut self, text: &mut Vec<u8>, corpus: &[String], tokens: &[&str]) {
        let (start, end) = self.range(text);
        let new: Vec<u8> = match self.below(9) {
            0 => Vec::new(),
            1 => [&text[start..end], &text[start..end]].concat(),
            2 => self.of(tokens).into(),
            3 => [&text[start..end], self.of(tokens).as_bytes()].concat(),
            4 => self.of(&NUMBERS).into(),
            5 => vec![self.next() as u8],
            6 => {
                let other = corpus[self.below(corpus.len())].as_bytes();
                let (from, to) = self.range(other);
                other[from..to].to_vec()
            }
            // Deep, or long.
            7 => self.of(tokens).repeat(self.below(400)).into(),
            _ => {
                let number = text.iter().position(u8::is_ascii_digit).unwrap_or(start);
                return text.splice(number..(number + 1).min(text.len()), self.of(&NUMBERS).bytes()).for_each(drop);
            }
        };
        text.splice(start..end, new);
    }
}
