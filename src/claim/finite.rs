//! Finite pairs by brute force: every test there is, every set of outcomes, exactly.
//!
//! Nothing here is clever, and nothing is shared with the engines: a trade-off function is the lower hull of the errors
//! of all tests that reject on a set, a hockey-stick divergence is the largest of all `P(S) - x Q(S)`. Pairs to try are
//! all pairs with masses in multiples of a unit, so that "the points tried" is a set that can be named.

use rug::Rational;

/// Two distributions on the same few outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finite {
    /// The masses of P.
    pub p: Vec<Rational>,
    /// The masses of Q.
    pub q: Vec<Rational>,
}

/// All distributions on `outcomes` outcomes with masses in multiples of `1/unit`.
pub fn distributions(outcomes: usize, unit: u32) -> Vec<Vec<Rational>> {
    let mut all = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(masses) = open.pop() {
        let used: u32 = masses.iter().sum();
        if masses.len() + 1 == outcomes {
            let mut whole = masses;
            whole.push(unit - used);
            all.push(whole.into_iter().map(|mass| Rational::from((mass, unit))).collect());
        } else {
            open.extend((0..=unit - used).rev().map(|mass| [masses.as_slice(), &[mass]].concat()));
        }
    }
    all
}

/// All pairs of them.
pub fn pairs(outcomes: usize, unit: u32) -> Vec<Finite> {
    let all = distributions(outcomes, unit);
    all.iter().flat_map(|p| all.iter().map(|q| Finite { p: p.clone(), q: q.clone() })).collect()
}

/// `0, 1/parts, 2/parts, ..., 1`.
pub fn grid(parts: u32) -> Vec<Rational> {
    (0..=parts).map(|i| Rational::from((i, parts))).collect()
}

/// A fraction.
pub fn q(numer: i64, denom: i64) -> Rational {
    Rational::from((numer, denom))
}

impl Finite {
    /// The pair of these masses.
    pub fn new(p: &[(i64, i64)], q: &[(i64, i64)]) -> Self {
        let list = |masses: &[(i64, i64)]| masses.iter().map(|mass| Rational::from(*mass)).collect();
        Finite { p: list(p), q: list(q) }
    }

    /// The four outcomes of the worst (epsilon, delta) pair, `x = e^epsilon`.
    pub fn worst(x: &Rational, delta: &Rational) -> Self {
        let rest = Rational::from(1 - delta) / Rational::from(x + 1u32);
        let more = Rational::from(&rest * x);
        Finite {
            p: vec![delta.clone(), more.clone(), rest.clone(), Rational::new()],
            q: vec![Rational::new(), rest, more, delta.clone()],
        }
    }

    /// (Q, P).
    #[must_use]
    pub fn swapped(&self) -> Self {
        Finite { p: self.q.clone(), q: self.p.clone() }
    }

    /// The product of two pairs.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let product = |a: &[Rational], b: &[Rational]| {
            a.iter().flat_map(|x| b.iter().map(move |y| Rational::from(x * y))).collect::<Vec<_>>()
        };
        Finite { p: product(&self.p, &other.p), q: product(&self.q, &other.q) }
    }

    /// `(P(S), Q(S))` for all sets of outcomes.
    pub fn sets(&self) -> Vec<(Rational, Rational)> {
        let mut all = vec![(Rational::new(), Rational::new())];
        for (p, q) in self.p.iter().zip(&self.q) {
            let more: Vec<_> = all.iter().map(|(a, b)| (Rational::from(a + p), Rational::from(b + q))).collect();
            all.extend(more);
        }
        all
    }

    /// `H_x(P||Q)`: the largest `P(S) - x Q(S)`.
    pub fn hockey_stick(&self, x: &Rational) -> Rational {
        let values = self.sets().into_iter().map(|(p, q)| p - q * x);
        values.max().unwrap_or_default()
    }

    /// `T(P, Q)`, from all tests that reject on a set, and mixtures of two of them.
    pub fn tradeoff(&self) -> Polyline {
        let errors = self.sets().into_iter().map(|(p, q)| (p, 1 - q)).collect();
        Polyline::below(errors)
    }

    /// What a post-processing makes of it: `channel[i]` is where outcome i goes.
    #[must_use]
    pub fn through(&self, channel: &[Vec<Rational>]) -> Self {
        let outputs = channel.first().map_or(0, Vec::len);
        let image = |masses: &[Rational]| {
            (0..outputs)
                .map(|j| masses.iter().zip(channel).map(|(mass, row)| Rational::from(mass * &row[j])).sum())
                .collect::<Vec<Rational>>()
        };
        Finite { p: image(&self.p), q: image(&self.q) }
    }

    /// Text form.
    pub fn shown(&self) -> String {
        let list = |masses: &[Rational]| masses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        format!("P = ({}), Q = ({})", list(&self.p), list(&self.q))
    }
}

/// A convex polyline: the greatest convex function that is nowhere above some points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polyline {
    /// Its vertices, from left to right.
    pub vertices: Vec<(Rational, Rational)>,
}

impl Polyline {
    /// The lower hull of points.
    pub fn below(mut points: Vec<(Rational, Rational)>) -> Self {
        points.sort();
        points.dedup_by(|later, earlier| later.0 == earlier.0);
        let mut vertices: Vec<(Rational, Rational)> = Vec::new();
        for point in points {
            while let [.., a, b] = vertices.as_slice() {
                let to_b = Rational::from(&b.1 - &a.1) * Rational::from(&point.0 - &a.0);
                let to_point = Rational::from(&point.1 - &a.1) * Rational::from(&b.0 - &a.0);
                if to_b < to_point {
                    break;
                }
                vertices.pop();
            }
            vertices.push(point);
        }
        Polyline { vertices }
    }

    /// The value at `alpha`, which lies between the ends.
    pub fn at(&self, alpha: &Rational) -> Rational {
        for pair in self.vertices.windows(2) {
            let [(a, f), (b, g)] = pair else { continue };
            if alpha <= b {
                let part = Rational::from(alpha - a) / Rational::from(b - a);
                return Rational::from(g - f) * part + f;
            }
        }
        self.vertices.last().map(|last| last.1.clone()).unwrap_or_default()
    }

    /// `inf { t in [0,1] : f(t) <= alpha }`.
    pub fn inverse_at(&self, alpha: &Rational) -> Rational {
        for pair in self.vertices.windows(2) {
            let [(a, f), (b, g)] = pair else { continue };
            if f <= alpha {
                return a.clone();
            }
            if g <= alpha {
                let part = Rational::from(f - alpha) / Rational::from(f - g);
                return Rational::from(b - a) * part + a;
            }
        }
        Rational::from(1)
    }

    /// `sup over alpha of (y alpha - f(alpha))`.
    pub fn conjugate(&self, y: &Rational) -> Rational {
        let values = self.vertices.iter().map(|(alpha, beta)| Rational::from(y * alpha) - beta);
        values.max().unwrap_or_default()
    }

    /// Lengths and slopes of its pieces: how far alpha goes, and `-f'`.
    pub fn pieces(&self) -> Vec<(Rational, Rational)> {
        let pairs = self.vertices.windows(2);
        pairs
            .map(|pair| {
                let run = Rational::from(&pair[1].0 - &pair[0].0);
                let slope = Rational::from(&pair[0].1 - &pair[1].1) / &run;
                (run, slope)
            })
            .collect()
    }
}
