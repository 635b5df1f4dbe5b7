//! Means over the losses below a point c, on a line left of all poles.
//!
//! With `t = c - l > 0`, `v(c) = E k(c - L)` over `L < c`, `F(s) = e^(-sc) M(s) kappa(s)` and `s_j = a + 2 pi i j/Lam`,
//!
//! `(1/Lam) sum_j F(s_j) = sum_m e^(a m Lam) v(c + m Lam)`.
//!
//! | k | `kappa(s) = int_0^inf k(t) e^(st) dt` | for |
//! |---|---|---|
//! | `t^3` | `6/s^4` | `Re s < 0` |
//! | `(e^t - 1)^2` | `-2/(s(s+1)(s+2))` | `Re s < -2` |
//!
//! On a lattice `o + eta Z` of which the period is an odd multiple N, with the loss `l_0` that is nearest to c and
//! `d = c - l_0`, kappa becomes `eta e^(sd) (k(d_+) + sum_(j >= 1) k(d + j eta) e^(s j eta))`, and the sum is over N
//! nodes.
//!
//! **Aliases.** For `m > 0` the mean of `k(y - L)` over *all* losses is known, of both k: of the cube it is
//! `v(y) - E (L-y)_+^3`, of the square `v(y) + E (1 - e^(y-L))_+^2`. What is not known of them is bounded by Chernoff,
//! and so are those of `m < 0`: `t^3 <= (3/(e b))^3 e^(bt)` for every `b > 0`, `(e^t - 1)^2 <= e^(bt)` for `b >= 2`,
//! and `(1 - e^-t)^2 <= e^(bt)` for `b >= 0`. **Nodes left out**: `|kappa(s)| <= kappa(a) min(1, (|a|/u)^4)`, and
//! `kappa(a) min(1, |a(a+1)(a+2)|/u^3)`, times the factors' bounds. Paper proof: `proofs/paper/functionals.md`.

use rug::float::Round::Up;
use rug::{Float, Integer, Rational};

use super::{Below, plan};
use crate::compose::quadrature::assemble::Factors;
use crate::compose::quadrature::branch_and_bound::{BranchAndBound, FEW, SelectedNodes, Weight};
use crate::compose::quadrature::contour::{moment, nodes, products};
use crate::compose::quadrature::factor::LatticeSpan;
use crate::compose::quadrature::vertical_contour::VerticalContour;
use crate::error::Error;
use enclosure::{Budget, Complex, Enclosure, Need, Portable, Real};

/// Precision of bounds.
const BOUND_BITS: u32 = 64;
/// Nodes that a line may keep.
const MOST_NODES: u64 = 1 << 19;
/// So many, by the kernel alone, are not looked at one by one.
const HOPELESS: f64 = 4.0e6;
/// Bounds that its search may take.
const MOST_BOUNDS: u64 = 1 << 22;
/// A lattice of more points than this in one period is treated like losses on no lattice.
const LONGEST_PERIOD: f64 = 2e5;

/// The mean as a line sees it.
pub(super) struct Line<'a> {
    pub factors: &'a Factors,
    pub span: Option<&'a LatticeSpan>,
    pub of: &'a Below,
    pub centre: &'a Rational,
}

/// The choices of a plan as exact numbers.
pub(super) struct Layout {
    pub line: VerticalContour,
    /// Tilts below and above it.
    pub sides: [Rational; 2],
    /// The lattice, if it is one of not too many points, and the last node of one half.
    pub lattice: Option<(LatticeSpan, u64)>,
}

/// The parts of a mean: the trapezoid sum without its rounding errors, and what has to be made good.
pub(super) struct Parts {
    /// The sum over the nodes that were kept.
    pub sum: Enclosure,
    /// At most so much is missing of it.
    pub left_out: Float,
    /// What is known of the aliases.
    pub known: Enclosure,
    /// What else they may be, from 0: those below, and those above.
    pub unknown: [Enclosure; 2],
}

impl Line<'_> {
    /// `v(c)`.
    pub fn mean(&self, scale: f64, bits: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let target = scale - f64::from(bits) * std::f64::consts::LN_2 - 3.0;
        let plan = plan::plan(self.factors, self.of, self.centre.to_f64(), target)
            .ok_or_else(|| Error::undecided("found no contour for this mean of the privacy loss"))?;
        if self.span.is_none() && plan.nodes > HOPELESS {
            return Err(Error::undecided("this mean requires too many nodes"));
        }
        let layout = self.layout(&plan).ok_or_else(|| Error::undecided("the contour for this mean is out of range"))?;
        let Parts { sum, left_out, known, unknown: [below, above] } = self.parts(&plan, &layout, budget)?;
        let value = sum.widen(&left_out) - known - below;
        Ok(match self.of {
            Below::Cube(_) => value - above,
            Below::Square => value + above,
        }
        .positive_part())
    }

    /// `None` where numbers are none, or on the wrong sides of each other.
    pub fn layout(&self, plan: &plan::Plan) -> Option<Layout> {
        if !plan.period.is_finite() || !plan.log_peak.is_finite() || plan.target < -5e8 {
            return None;
        }
        let short = |x: f64| Float::with_val(24, x).to_rational();
        let (tilt, below, above) = (short(plan.tilt)?, short(plan.sides[0])?, short(plan.sides[1])?);
        if !(tilt < self.of.pole() && below < tilt && above > 0) {
            return None;
        }
        let span = self.span.filter(|span| plan.period / span.unit.to_f64() < LONGEST_PERIOD);
        let Some(span) = span else {
            let period = Real::from(Float::with_val(20, plan.period).to_rational()?);
            return Some(Layout { line: VerticalContour::new(tilt, period), sides: [below, above], lattice: None });
        };
        // An odd number of nodes, so that they pair up around the real one.
        let count = ((plan.period / span.unit.to_f64()).ceil().max(3.0) as u64) | 1;
        let period = span.unit.mul_rational(&Rational::from(count));
        let lattice = Some((span.clone(), (count - 1) / 2));
        Some(Layout { line: VerticalContour::new(tilt, period), sides: [below, above], lattice })
    }

    /// All of it but the differences.
    pub fn parts(&self, plan: &plan::Plan, layout: &Layout, budget: &Budget) -> Result<Parts, Error> {
        let selected = self.select(plan, layout, budget)?;
        let goal = ((plan.log_peak - plan.target) / std::f64::consts::LN_2).max(16.0).ceil().min(1e9) as u32;
        let work = goal.saturating_add(self.guard_bits(plan.tilt, layout));
        if work > budget.max_bits().saturating_mul(4) {
            return Err(budget.out_of_bits());
        }
        budget.afford(&Need {
            what: "nodes of a mean",
            count: selected.nodes.saturating_add(1),
            most: MOST_NODES.saturating_add(1),
            bytes: selected.nodes.saturating_add(1).saturating_mul(4 * (u64::from(work) / 8 + 64)),
            relax: "try fewer digits or fewer compositions",
        })?;
        let values = products(self.factors, &layout.line, &selected, work, budget)?;
        let (sum, peak) = match &layout.lattice {
            None => self.smooth(&values, &selected, &layout.line, work, budget)?,
            Some((span, _)) => self.on_lattice(&values, &selected, (&layout.line, span), work, budget)?,
        };
        let tilt = Enclosure::rational(layout.line.tilt(), work);
        let fall = (-(&tilt * &self.centred(work))).exp();
        let period = layout.line.period().enclosure(work);
        let left_out = Enclosure::new(Float::new(BOUND_BITS), selected.left_out.clone()).shift(1);
        let left_out = peak.abs() * &fall * left_out / &period;
        Ok(Parts {
            sum: sum * fall / period,
            left_out: left_out.into_bounds().1,
            known: self.known(&layout.line, work, budget)?,
            unknown: self.unknown(layout, budget)?,
        })
    }

    fn centred(&self, bits: u32) -> Enclosure {
        Enclosure::rational(self.centre, bits)
    }

    /// The nodes that matter.
    fn select(&self, plan: &plan::Plan, layout: &Layout, budget: &Budget) -> Result<SelectedNodes, Error> {
        let line = &layout.line;
        let mut decays = Vec::new();
        for (factor, times) in self.factors {
            decays.push((factor.decay(line, budget)?, *times));
        }
        let (weight, last) = match &layout.lattice {
            Some((_, last)) => (Weight::One, *last),
            None => {
                let turns = line.period().enclosure(BOUND_BITS) / Enclosure::pi(BOUND_BITS).shift(1);
                let tilt = Enclosure::rational(line.tilt(), BOUND_BITS).abs();
                let one = Enclosure::one(BOUND_BITS);
                let scale = match self.of {
                    Below::Cube(_) => (tilt * turns).pow(4),
                    Below::Square => &tilt * &(&tilt - &one) * (&tilt - &one.shift(1)) * turns.pow(3),
                };
                (Weight::InversePower { scale: scale.upper().to_f64_round(Up), power: self.of.power() }, u64::MAX)
            }
        };
        BranchAndBound {
            decays,
            few: FEW,
            decays_for_good: self.factors.iter().any(|(factor, _)| factor.decays()),
            last,
            weight,
            // The sum is divided by the period.
            target: plan.target - plan.log_peak + (line.period().to_f64() / 2.0).portable_ln(),
            most_nodes: MOST_NODES,
            most_bounds: MOST_BOUNDS,
        }
        .run(budget)
    }

    /// The bits that are lost from the values to the sum: in powers, and in what is nearly 0 on a fine lattice.
    fn guard_bits(&self, tilt: f64, layout: &Layout) -> u32 {
        let power_bits = self.factors.iter().map(|(_, times)| 64 - times.leading_zeros()).max().unwrap_or(0);
        let fine = match &layout.lattice {
            Some((span, _)) => {
                let near = (self.of.pole() - tilt).min(1.0);
                4 * ((1.0 / (span.unit.to_f64() * near)).max(1.0).portable_log2().ceil() as u32 + 2)
            }
            None => 0,
        };
        power_bits.saturating_add(fine).saturating_add(40)
    }

    /// `sum_j e^(-i u_j c) M(s_j) kappa(s_j)`, and its term on the real axis.
    fn smooth(
        &self,
        values: &[Complex],
        selected: &SelectedNodes,
        line: &VerticalContour,
        work: u32,
        budget: &Budget,
    ) -> Result<(Enclosure, Enclosure), Error> {
        let turns = (!self.centre.is_zero()).then(|| line.turns(&Real::from(-self.centre.clone())));
        let tilt = Enclosure::rational(line.tilt(), work);
        let one = Enclosure::one(work);
        let mut sum = Sum::new(work);
        for (k, value) in nodes(selected).zip(values) {
            sum.check(budget)?;
            let u = line.ordinate(k, work);
            let at = |add: &Enclosure| Complex::from_parts(&(&tilt + add), &u, work);
            let kernel = match self.of {
                Below::Cube(_) => {
                    let square = &at(&Enclosure::zero(work)) * &at(&Enclosure::zero(work));
                    &Complex::real(&one.mul_u32(6), work) * &(&square * &square).recip()
                }
                Below::Square => {
                    let poles = &(&at(&Enclosure::zero(work)) * &at(&one)) * &at(&one.shift(1));
                    &Complex::real(&-one.shift(1), work) * &poles.recip()
                }
            };
            let term = &kernel * value;
            sum.add(
                k,
                match &turns {
                    Some(turns) => (&term * &Complex::cis(&turns.angle(k, work), work)).re(),
                    None => term.re(),
                },
            );
        }
        Ok(sum.parts())
    }

    /// The same on a lattice, `e^(-i u_j c)` and the kernel together.
    fn on_lattice(
        &self,
        values: &[Complex],
        selected: &SelectedNodes,
        (line, span): (&VerticalContour, &LatticeSpan),
        work: u32,
        budget: &Budget,
    ) -> Result<(Enclosure, Enclosure), Error> {
        let loss = nearest(span, self.centre)?;
        let unit = span.unit.enclosure(work);
        let wide = work.saturating_add(64);
        let gap = (self.centred(wide) - loss.enclosure(wide)).with_bits(work);
        if !(*(&gap.abs() - &unit).upper() < 0) {
            return Err(Error::undecided("cannot compare the centre of a mean with the privacy losses"));
        }
        // The rotation is by the loss, and the fall by the centre, for all nodes together.
        let tilt = Enclosure::rational(line.tilt(), work);
        let shift = (&tilt * &gap).exp();
        let turns = line.turns(&loss.neg());
        let step = line.turns(&span.unit);
        let fall = |add: u32| {
            let rate = Enclosure::rational(&Rational::from(line.tilt() + add), work);
            Complex::real(&(&rate * &unit).exp(), work)
        };
        let falls = [fall(0), fall(1), fall(2)];
        let one = Complex::one(work);
        let mut sum = Sum::new(work);
        for (k, value) in nodes(selected).zip(values) {
            sum.check(budget)?;
            let turn = Complex::cis(&step.angle(k, work), work);
            let ratio = |i: usize| &falls[i] * &turn;
            let real = |x: &Enclosure| Complex::real(x, work);
            let kernel = match self.of {
                Below::Cube(_) => {
                    let r = ratio(0);
                    let rest = (&one - &r).recip();
                    // sum_(j >= 1) j^i r^j, for i = 0, 1, 2, 3.
                    let first = &r * &rest;
                    let second = &first * &rest;
                    let third = &(&second * &rest) * &(&one + &r);
                    let fourth =
                        &(&(&second * &rest) * &rest) * &(&(&one + &(&real(&unit_of(4, work)) * &r)) + &(&r * &r));
                    let d2 = gap.square();
                    let whole = [
                        &real(&(&d2 * &gap)) * &first,
                        &real(&(&d2 * &unit).mul_u32(3)) * &second,
                        &real(&(&gap * &unit.square()).mul_u32(3)) * &third,
                        &real(&unit.pow(3)) * &fourth,
                    ];
                    let here = real(&gap.positive_part().pow(3));
                    whole.iter().fold(here, |sum, term| &sum + term)
                }
                Below::Square => {
                    // (e^(d + j eta) - 1)^2 e^(s j eta): three geometric series from j = 1 on.
                    let series = |i: usize| {
                        let r = ratio(i);
                        &r * &(&one - &r).recip()
                    };
                    let rise = gap.exp();
                    let whole =
                        &(&(&real(&rise.square()) * &series(2)) - &(&real(&rise.shift(1)) * &series(1))) + &series(0);
                    &whole + &real(&gap.positive_part().expm1().square())
                }
            };
            let term = &(&kernel * value) * &real(&unit);
            sum.add(k, (&term * &Complex::cis(&turns.angle(k, work), work)).re());
        }
        let (sum, peak) = sum.parts();
        // e^(-s l_0) = e^(-sc) e^(sd): its modulus is e^(-ac) e^(ad).
        Ok((sum * &shift, peak * &shift))
    }

    /// What is known of the aliases of `m >= 1`: the means over all losses.
    fn known(&self, line: &VerticalContour, work: u32, budget: &Budget) -> Result<Enclosure, Error> {
        let one = Enclosure::one(work);
        let period = line.period().enclosure(work);
        let power = |add: u32| (&Enclosure::rational(&Rational::from(line.tilt() + add), work) * &period).exp();
        Ok(match self.of {
            Below::Cube([first, second, third]) => {
                let x = power(0);
                let rest = (&one - &x).recip();
                let sums = [
                    &x * &rest,
                    &x * &rest.square(),
                    &x * &(&one + &x) * rest.pow(3),
                    &x * &(&one + &x.shift(2) + x.square()) * rest.pow(4),
                ];
                third * &sums[0]
                    + (second * &period).mul_u32(3) * &sums[1]
                    + (first * &period.square()).mul_u32(3) * &sums[2]
                    + period.pow(3) * &sums[3]
            }
            Below::Square => {
                let series = |add: u32| {
                    let x = power(add);
                    &x / &(&one - &x)
                };
                let rise = self.centred(work).exp();
                let square = moment(self.factors, &Rational::from(-2), work, budget)?;
                let mass = moment(self.factors, &Rational::from(-1), work, budget)?;
                rise.square() * square * series(2) - (rise * mass * series(1)).shift(1) + series(0)
            }
        })
    }

    /// Chernoff's bounds of `sum_(m >= 1)` of `e^(-a m Lam) v(c - m Lam)`, and of what is not known of
    /// `e^(a m Lam) v(c + m Lam)`.
    fn unknown(&self, layout: &Layout, budget: &Budget) -> Result<[Enclosure; 2], Error> {
        let mut both = Vec::with_capacity(2);
        for side in &layout.sides {
            let moment = moment(self.factors, side, BOUND_BITS, budget)?;
            let tilt = Enclosure::rational(side, BOUND_BITS);
            let fall = (-(&tilt * &self.centred(BOUND_BITS))).exp();
            let constant = match self.of {
                Below::Cube(_) => {
                    let e = Enclosure::one(BOUND_BITS).exp();
                    (Enclosure::one(BOUND_BITS).mul_u32(3) / (e * tilt.abs())).pow(3)
                }
                Below::Square => Enclosure::one(BOUND_BITS),
            };
            let distance = Rational::from(side - layout.line.tilt()).abs();
            let period = layout.line.period().enclosure(BOUND_BITS);
            let series = (&Enclosure::rational(&distance, BOUND_BITS) * &period).expm1().recip();
            both.push(Enclosure::zero(BOUND_BITS).hull(&(constant * moment * fall * series)));
        }
        let above = both.pop().unwrap_or_else(|| Enclosure::whole(BOUND_BITS));
        let below = both.pop().unwrap_or_else(|| Enclosure::whole(BOUND_BITS));
        Ok([below, above])
    }
}

fn unit_of(n: u32, bits: u32) -> Enclosure {
    Enclosure::one(bits).mul_u32(n)
}

/// A loss of the lattice within about half a unit of a point.
fn nearest(span: &LatticeSpan, centre: &Rational) -> Result<Real, Error> {
    let bits = 256;
    let places = (Enclosure::rational(centre, bits) - span.offset.enclosure(bits)) / span.unit.enclosure(bits);
    let place: Option<Integer> = places.lower().clone().round().to_integer();
    let place = place.ok_or_else(|| Error::undecided("cannot compare the centre of a mean with the privacy losses"))?;
    Ok(span.offset.add(&span.unit.mul_rational(&Rational::from(place))))
}

/// A sum over nodes and their conjugates.
struct Sum {
    sum: Enclosure,
    first: Enclosure,
    count: u32,
}

impl Sum {
    fn new(bits: u32) -> Self {
        Sum { sum: Enclosure::zero(bits), first: Enclosure::zero(bits), count: 0 }
    }

    fn check(&mut self, budget: &Budget) -> Result<(), Error> {
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(1024) { budget.check() } else { Ok(()) }
    }

    fn add(&mut self, node: u64, term: Enclosure) {
        if node == 0 {
            self.first = term.clone();
            self.sum = &self.sum + &term;
        } else {
            self.sum = &self.sum + &term.shift(1);
        }
    }

    fn parts(self) -> (Enclosure, Enclosure) {
        (self.sum, self.first)
    }
}
