//! The terms with some large step, on one vertical line right of both poles.
//!
//! `D = sum_(1 <= j <= J) C(k,j) A^(k-j) B^j` times R is the transform of a positive measure of losses, and
//! `v(y) = int (1 - e^(y-l))_+` of it is wanted at eps. With `F(s) = e^(-s eps) D R/(s(s+1))` and the nodes
//! `s_n = c + 2 pi i n/period`, `c > 0`, Poisson's formula gives
//!
//! `(1/period) sum_(n in Z) F(s_n) = sum_(m in Z) e^(c m period) v(eps + m period)`.
//!
//! | error | bound |
//! |---|---|
//! | aliases, all positive | `v(y) <= (D R)(a) e^(-ay)`, `a >= 0`: above c for `m > 0`, below for `m < 0` |
//! | nodes beyond the last, N | `|B| <= b` there: `k b (A(c) + b)^(k-1) R(c) e^(-c eps) period/(2 pi^2 N)` |
//! | terms of more than J large steps | the first of them at c over `1 - rho`, `rho < 1` the ratio to the next |
//! | values, rounding | discs |
//!
//! See `proofs/paper/large-steps.md`.

use rug::{Float, Integer, Rational};

use super::law::{BOUND_BITS, Law, fall, rest_moment, up_to};
use super::plan::Plan;
use crate::compose::quadrature::VerticalContour;
use crate::error::Error;
use enclosure::special::binomial_enclosure;
use enclosure::{Budget, Complex, Enclosure, Real};

/// Nodes of the rest that are evaluated at once.
const RUN: u64 = 1024;
/// Rotations are computed afresh after so many.
const AFRESH: u64 = 64;

/// A line with its nodes evaluated.
pub(super) struct Line {
    line: VerticalContour,
    /// `D R/(s(s+1))`.
    values: Vec<Complex>,
    work: u32,
    /// What is beyond the last node, and terms of more large steps, without `e^(-c eps)`.
    nodes_left_out: Float,
    terms_left_out: Float,
    /// Tilts below and above with upper bounds of `D R` there.
    sides: [(Rational, Float); 2],
}

/// A double as a rational of few bits.
pub(in crate::compose) fn short(x: f64) -> Result<Rational, Error> {
    Float::with_val(20, x).to_rational().ok_or_else(|| Error::undecided("the search for large steps diverged"))
}

impl Line {
    /// Evaluate the line of a plan.
    pub fn new(law: &Law, plan: &Plan, budget: &Budget) -> Result<Self, Error> {
        let (tilt, period) = (short(plan.tilt)?, short(plan.period)?);
        let [below, above] = [short(plan.sides[0])?, short(plan.sides[1])?];
        if !(tilt > 0 && period > 0 && below >= 0 && below < tilt && above > tilt && plan.last > 0) {
            return Err(Error::undecided("found no contour for large steps"));
        }
        let work = plan.work;
        let line = VerticalContour::new(tilt.clone(), Real::from(period.clone()));
        let [small, large, _] = law.split.moments(&tilt, BOUND_BITS, budget)?;
        let moments = [small, large];
        let rest = rest_moment(law.rest, &tilt, BOUND_BITS, budget)?;
        // Beyond the last node.
        let ordinate = line.ordinate(plan.last + 1, BOUND_BITS).lower().clone();
        let most = law.split.fall(&tilt, &ordinate, plan.height, budget)?.min(moments[1].upper());
        let most = law.at_most(&moments[0], &Enclosure::new(most.clone(), most));
        // 2/period sum_(n > N) (period/(2 pi n))^2 <= period/(2 pi^2 N).
        let pi = Enclosure::pi(BOUND_BITS);
        let nodes = &Enclosure::integer(&Integer::from(plan.last), BOUND_BITS) * &pi.square().shift(1);
        let nodes = &(&(&most * &rest) * &Enclosure::rational(&period, BOUND_BITS)) / &nodes;
        let terms = &terms_left_out(law.steps, plan.terms, &moments)? * &rest;
        let sides = [below, above].map(|c| law.some_large(&c, budget).map(|bound| (c, bound)));
        let [below, above] = sides;
        let values = values(law, &line, plan, budget)?;
        Ok(Line {
            line,
            values,
            work,
            nodes_left_out: nodes.upper().clone(),
            terms_left_out: terms.upper().clone(),
            sides: [below?, above?],
        })
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.values.len()
    }

    /// `v(epsilon)` of all terms with a large step.
    pub fn value(&self, epsilon: &Real) -> Enclosure {
        let work = self.work;
        let wide = work.saturating_add(64);
        let at = epsilon.enclosure(wide);
        let turns = self.line.turns(epsilon);
        let step = Complex::cis(&-turns.angle(1, work), work);
        let mut turn = Complex::one(work);
        let mut sum = Enclosure::zero(work);
        for (k, value) in (0u64..).zip(&self.values) {
            if k > 0 {
                turn = if k % AFRESH == 0 { Complex::cis(&-turns.angle(k, work), work) } else { &turn * &step };
            }
            let part = value.re_of_product(&turn);
            sum = &sum + &(if k == 0 { part } else { part.shift(1) });
        }
        let fallen = |c: &Rational, bits: u32| fall(c, &at, bits);
        let sum = &(&sum * &fallen(self.line.tilt(), work)) / &self.line.period().enclosure(work);
        let down = fallen(self.line.tilt(), BOUND_BITS);
        let scaled = |bound: &Float| (&up_to(bound) * &down).upper().clone();
        let sum = sum.widen(&scaled(&self.nodes_left_out));
        // The aliases: e^(-a eps) (D R)(a)/(e^(|a - c| period) - 1), both positive.
        let mut aliases = Enclosure::zero(BOUND_BITS);
        for (a, bound) in &self.sides {
            let distance = Rational::from(a - self.line.tilt()).abs();
            let turns = &Enclosure::rational(&distance, BOUND_BITS) * &self.line.period().enclosure(BOUND_BITS);
            aliases = &aliases + &(&(&up_to(bound) * &fallen(a, BOUND_BITS)) / &turns.expm1());
        }
        let value = &sum - &up_to(aliases.upper());
        (&value + &up_to(&scaled(&self.terms_left_out))).positive_part()
    }
}

/// `sum_(j > J) C(k,j) A^(k-j) B^j`: each term is at most `rho = B (k-J-1)/(A (J+2))` times the one before, so that all
/// are at most the first over `1 - rho`.
fn terms_left_out(steps: u64, terms: u64, [small, large]: &[Enclosure; 2]) -> Result<Enclosure, Error> {
    if terms >= steps {
        return Ok(Enclosure::zero(BOUND_BITS));
    }
    let number = |n: u64| Enclosure::integer(&Integer::from(n), BOUND_BITS);
    let first = &binomial_enclosure(steps, terms + 1, BOUND_BITS)? * &large.pow(terms + 1);
    let first = &first * &small.pow(steps - terms - 1);
    let ratio = &(large * &number(steps - terms - 1)) / &(small * &number(terms + 2));
    let rest = &Enclosure::one(BOUND_BITS) - &ratio;
    if *rest.lower() > 0 {
        Ok(&first / &rest)
    } else {
        Err(Error::undecided("large steps are not rare on this contour"))
    }
}

/// `D R/(s(s+1))` at the nodes.
fn values(law: &Law, line: &VerticalContour, plan: &Plan, budget: &Budget) -> Result<Vec<Complex>, Error> {
    let work = plan.work;
    let steps = law.split.along(line, plan.last, work, budget)?;
    let mut products = Vec::with_capacity(steps.len());
    let terms = plan.terms.min(law.steps);
    let mut binomials = Vec::new();
    for j in 1..=terms {
        binomials.push(Complex::real(&binomial_enclosure(law.steps, j, work)?, work));
    }
    for (n, [small, large]) in steps.into_iter().enumerate() {
        if n % 16 == 0 {
            budget.check()?;
        }
        products.push(some_large(&small, &large, law.steps, &binomials));
    }
    for (factor, times) in law.rest {
        let mut moments = factor.on(line, work, budget)?;
        let mut from = 0;
        while from <= plan.last {
            let count = RUN.min(plan.last + 1 - from);
            let values = moments.run(from, count as usize, budget)?;
            if values.len() != count as usize {
                return Err(Error::undecided("a factor gave too few values"));
            }
            for (product, value) in products.iter_mut().skip(from as usize).zip(values) {
                *product = &*product * &value.pow(*times);
            }
            from += count;
        }
    }
    let tilt = Enclosure::rational(line.tilt(), work);
    let next = Enclosure::rational(&Rational::from(line.tilt() + 1u32), work);
    for (k, product) in (0u64..).zip(&mut products) {
        let u = line.ordinate(k, work);
        let poles = &Complex::from_parts(&tilt, &u, work) * &Complex::from_parts(&next, &u, work);
        *product = &*product * &poles.recip();
    }
    Ok(products)
}

/// `sum_j C(k,j) A^(k-j) B^j` over as many `j >= 1` as there are coefficients J: `A^(k-J)` times a sum in which the
/// powers of A rise while those of B fall.
fn some_large(small: &Complex, large: &Complex, steps: u64, binomials: &[Complex]) -> Complex {
    let terms = binomials.len();
    let mut powers = vec![large.clone()];
    for _ in 1..terms {
        let next = powers.last().map_or_else(|| large.clone(), |power| power * large);
        powers.push(next);
    }
    let bits = large.centre().0.prec();
    let (mut sum, mut power) = (Complex::zero(bits), Complex::one(bits));
    for (binomial, large) in binomials.iter().zip(&powers).rev() {
        sum = &sum + &(&(binomial * large) * &power);
        power = &power * small;
    }
    &sum * &small.pow(steps - terms as u64)
}
