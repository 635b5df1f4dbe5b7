//! Chance that can be repeated: SplitMix64 (Steele, Lea and Flood 2014), the same on every machine.

use enclosure::Portable;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream that belongs to a seed and a place in a sequence.
    pub fn new(seed: u64, place: u64) -> Self {
        let mut random = Random { state: seed ^ place.wrapping_mul(0xd1b5_4a32_d192_ed03) };
        // Neighbouring seeds and places part here.
        random.state = random.next() ^ place;
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * f64::from_bits(0x3ca0_0000_0000_0000)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Between two positive numbers, uniform in the logarithm, with three significant digits.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        three_digits(self.between(low.portable_ln(), high.portable_ln()).portable_exp())
    }

    /// One of these.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        // The product is below the length.
        let place = (self.unit() * from.len() as f64) as usize;
        &from[place.min(from.len() - 1)]
    }

    /// True so often.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }
}

/// The double of a decimal of three digits: readable, and not on a typical grid.
pub fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed, place| {
            let mut random = Random::new(seed, place);
            [random.unit(), random.between(1.0, 2.0), random.decades(1e-9, 1.0)]
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert_ne!(numbers(1, 2), numbers(2, 2));
        let mut random = Random::new(7, 7);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
        let mean: f64 = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((0.48..0.52).contains(&mean), "{mean}");
    }
}
