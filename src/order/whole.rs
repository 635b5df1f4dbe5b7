//! Orders of whole curves, over all epsilons: interval branch and bound on both profiles.
//!
//! `f_A >= f_B` everywhere exactly where `H_x(A) <= H_x(B)` for all `x > 0` (the conjugate turns the order round), and
//! that for `x >= 1` in both directions, by `H_x(Q,P) = 1 - x + x H_(1/x)(P,Q)`. Both profiles are convex in x and do
//! not increase.
//!
//! **Between two points** `x1 < x2` it is proven by `A(x1) <= B(x2)`, or so: A lies below its chord, and B above the
//! lines through two of its points that lie on one side, `L` from the left and `R` from the right. At a point c
//! between, whichever it is, `chord(c) <= L(c)` and `chord(x1) <= B(x1)` prove it from x1 to c, for all is straight
//! there, and `chord(c) <= R(c)`, `chord(x2) <= B(x2)` from c to x2. Otherwise it is cut in two.
//!
//! **Beside a polyline** of few segments in fractions that is the less private, its lines are enough: f is above the
//! line `b - s alpha` exactly where the profile backward is at most `1 - b` at `x = s`. There both may touch.
//!
//! **At the far end** A is its mass at infinity from its largest loss on, and B is nowhere below its own. Where losses
//! have no bound but B has the larger mass, A is below that mass from somewhere on. Where both tend to the same limit
//! without reaching it, both may fall off like Gaussian noise, and B by less ([`tails`]); otherwise nothing is proven,
//! and that is said. Where both reach it at the same loss M, and B has
//! mass there, the last piece is proven by its slope: with q the mass of the loss M under the second distribution
//! ([`steep`]), `B(x) >= a + q (e^M - x)`, and A lies below the chord that ends in `(e^M, a)`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rug::float::Round::Up;
use rug::{Float, float};
use rug::{Integer, Rational};

use super::side::Side;
use super::{Relation, Witness, tails};
use crate::alarm::declined;
use crate::compose::Engines;
use crate::curve::Direction;
use crate::error::Error;
use crate::pair::{Factors, LossBound, TradeOff};
use enclosure::{Budget, Enclosure, Number, Real, Reason, Work};

/// Bits of the values that are compared.
pub(super) const BITS: u32 = 128;
/// Largest number of points on one side.
const POINTS: usize = 1000;
/// The part of the work that is spent on a type I error for what is seen at an epsilon, and the most.
const ALPHAS: (u32, u32) = (1, 4);
const LONGEST_ALPHAS: Work = Work::seconds(5);
/// Parts of 1 of the epsilon of a witness, if that shows as much.
const SHORT: u32 = 16;
/// An interval is not divided further if its width, relative to the larger of its upper end and 1, is less than one
/// over this number.
const NARROWEST: u32 = 1 << 24;
/// Segments of a polyline that are looked at one by one, at most.
const SEGMENTS: usize = 256;
/// Points of the first look.
const FIRST: u32 = 24;
/// Ratio of two profiles from which on they count as nearly equal.
const NEARLY: f64 = 0.999;
/// Places where it is sought how much they differ, less one.
const PLACES: u32 = 8;
/// Epsilons beyond this are not looked at.
pub(super) const FARTHEST: u32 = 1 << 12;
/// Nor beyond this where tails are known to be ordered from there on.
const FARTHEST_TAIL: u32 = 1 << 17;
/// Where they are from here on already, all up to there is looked at like what is near.
const NEAR_TAIL: u32 = 1 << 5;

/// Two curves.
pub struct Curves<'a> {
    pub(super) first: Side<'a>,
    pub(super) second: Side<'a>,
    pub(super) budget: &'a Budget,
}

/// The end of both profiles where it is the same: `e^M`, the limit there, and how steeply the second comes down to it.
struct Tip {
    x: Enclosure,
    limit: Enclosure,
    steep: Enclosure,
}

/// Both profiles at one epsilon.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) x: Enclosure,
    pub(super) first: Enclosure,
    pub(super) second: Enclosure,
}

/// Where the first is above the second.
struct Above {
    epsilon: Rational,
    point: Point,
    end: Rational,
}

/// The result on one half line.
enum Found {
    Proven,
    /// The first is above the second here, and what lies below the end was looked at.
    Above(Above),
    /// The first is above the second far out.
    Beyond(Witness),
    Open(Reason),
}

impl<'a> Curves<'a> {
    /// Of these compositions, with their engines.
    ///
    /// # Errors
    /// Those of the ends of the pairs.
    pub fn new(
        (first, a): (&'a Engines, &Factors),
        (second, b): (&'a Engines, &Factors),
        budget: &'a Budget,
    ) -> Result<Self, Error> {
        Ok(Curves { first: Side::new(first, a)?, second: Side::new(second, b)?, budget })
    }

    /// Another one in the place of the first, with the profile `e^-K H(eps + K)` if H is its own, for K `moved`.
    ///
    /// # Errors
    /// Those of the ends of the pairs.
    pub(super) fn beside<'b>(&self, first: &'b Engines, factors: &Factors, moved: Rational) -> Result<Curves<'b>, Error>
    where
        'a: 'b,
    {
        let first = Side::new(first, factors)?.moved(moved);
        Ok(Curves { first, second: self.second.clone(), budget: self.budget })
    }

    /// The pairs of the first.
    pub(super) fn factors(&self) -> &Factors {
        &self.first.factors
    }

    /// The same the other way round.
    #[must_use]
    pub fn swapped(self) -> Self {
        Curves { first: self.second, second: self.first, budget: self.budget }
    }

    /// Is the first at least as private as the second?
    ///
    /// # Errors
    /// Alarms.
    pub fn at_least(&self) -> Result<Relation, Error> {
        if let Some(f) = &self.second.polyline
            && self.above_lines(f)?
        {
            return Ok(Relation::Proven("all lines of a polyline in fractions"));
        }
        let directions: &[Direction] = if self.first.symmetric && self.second.symmetric {
            &[Direction::Backward]
        } else {
            &[Direction::Backward, Direction::Forward]
        };
        let mut open = None;
        for direction in directions {
            match self.half_line(*direction) {
                Ok(Found::Proven) => {}
                Ok(Found::Above(above)) => return Ok(Relation::Fails(self.told_of(above, *direction)?)),
                Ok(Found::Beyond(witness)) => return Ok(Relation::Fails(witness)),
                Ok(Found::Open(reason)) => open = open.or(Some(reason)),
                Err(Error::Undecided(reason)) => open = open.or(Some(reason)),
                Err(error) => return Err(error),
            }
        }
        if open.is_some()
            && let Some(witness) = self.closer(directions)?
        {
            return Ok(Relation::Fails(witness));
        }
        Ok(open.map_or(Relation::Proven("branch and bound over all epsilons"), Relation::Undecided))
    }

    /// A witness where the profile of the first is larger: a type I error where one is found in a while, and else that
    /// epsilon.
    fn told_of(&self, Above { epsilon, point, end }: Above, direction: Direction) -> Result<Witness, Error> {
        // Without a limit on the work the search has none either.
        let budget = self.budget.share(ALPHAS, self.budget.remaining().map(|_| LONGEST_ALPHAS));
        let curves = Curves { first: self.first.clone(), second: self.second.clone(), budget: &budget };
        if let Some(witness) = declined(curves.shown(&epsilon, &end, direction))?.flatten() {
            return Ok(witness);
        }
        // As short as it may be.
        let short = Rational::from(Rational::from(&epsilon * SHORT).ceil_ref()) / SHORT;
        if let Some(point) = declined(self.compared(&short, direction, self.budget))?
            && let Some(witness) = Witness::at_epsilon(short, direction, point.second, point.first)
        {
            return Ok(witness);
        }
        Witness::at_epsilon(epsilon, direction, point.second, point.first)
            .ok_or_else(|| Error::internal("a profile that was the larger one is not"))
    }

    /// A type I error at which the first has the smaller type II error, from an epsilon at which its profile is larger;
    /// all up to an end may be looked at.
    fn shown(&self, epsilon: &Rational, end: &Rational, direction: Direction) -> Result<Option<Witness>, Error> {
        let by_few = || Ok::<_, Error>(declined(self.by_few(epsilon, direction, self.budget))?.flatten());
        // Trade-off functions that are coarse take long and tell little.
        let coarse = self.first.is_coarse() || self.second.is_coarse();
        if coarse && let Some(witness) = by_few()? {
            return Ok(Some(witness));
        }
        // Where nearly all of both is the same it is seen better elsewhere.
        if self.is_near(epsilon, direction)?
            && let Some(at) = self.farthest_apart(end, direction)?
            && let Some(witness) = declined(self.by_profiles(&at, direction, self.budget))?.flatten()
        {
            return Ok(Some(witness));
        }
        if let Some(witness) = self.witness(epsilon, direction)? {
            return Ok(Some(witness));
        }
        match self.onwards(epsilon, direction)? {
            None if !coarse => by_few(),
            found => Ok(found),
        }
    }

    /// Are both profiles nearly the same at an epsilon?
    fn is_near(&self, epsilon: &Rational, direction: Direction) -> Result<bool, Error> {
        let Some(point) = declined(self.compared(epsilon, direction, self.budget))? else { return Ok(false) };
        Ok(*(&point.second / &point.first).upper() > NEARLY)
    }

    /// Of some epsilons up to an end that at which the profile of the first is the largest multiple of that of the
    /// second, if it is larger at any.
    fn farthest_apart(&self, end: &Rational, direction: Direction) -> Result<Option<Rational>, Error> {
        let mut best: Option<(Float, Rational)> = None;
        for part in 1..PLACES {
            let at = end * Rational::from((part, PLACES));
            let Some(point) = declined(self.compared(&at, direction, self.budget))? else { break };
            let ratio = (&point.second / &point.first).into_bounds().1;
            if ratio < 1 && best.as_ref().is_none_or(|(least, _)| ratio < *least) {
                best = Some((ratio, at));
            }
        }
        Ok(best.map(|(_, at)| at))
    }

    /// Is the first certainly above the lines through all segments of this polyline, whose greatest it is? Above the
    /// line `b - s alpha` is where the profile backward is at most `1 - b` at `x = s`.
    fn above_lines(&self, f: &TradeOff) -> Result<bool, Error> {
        if f.vertices().len() > SEGMENTS {
            return Ok(false);
        }
        for pair in f.vertices().windows(2) {
            let [(a, b), (c, d)] = pair else { continue };
            let slope = Rational::from(b - d) / Rational::from(c - a);
            if slope <= 0 {
                continue;
            }
            let most = 1 - (b + Rational::from(&slope * a));
            let Ok(at) = Real::from(slope).ln() else { return Ok(false) };
            let ask = self
                .first
                .engines
                .ask(self.budget, |curve, budget| curve.delta(&at, Direction::Backward, BITS, budget));
            let Some(delta) = declined(ask)? else { return Ok(false) };
            if !delta.compare(&Number::Exact(most)).is_some_and(Ordering::is_le) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All epsilons that are at least 0.
    fn half_line(&self, direction: Direction) -> Result<Found, Error> {
        let (largest, mass) = self.first.end(direction);
        let (other, limit) = self.second.end(direction);
        let order = mass.compare(limit).ok_or_else(|| {
            Error::undecided(format!("cannot decide whether the mass at infinity {mass} is below {limit}"))
        })?;
        let mut points = BTreeMap::new();
        // Where the first is at its limit already, or below that of the second.
        let mut closed = None;
        if order.is_le()
            && let LossBound::At(loss) = &largest
        {
            closed = Float::with_val_round(float::prec_min().max(64), loss.enclosure(64).upper(), Up).0.to_rational();
        }
        // Where both fall off like Gaussian noise, and the second by less.
        let tail = match (&closed, order) {
            (None, Ordering::Equal) => tails::ordered_from(&self.first.factors, &self.second.factors, direction)?,
            _ => None,
        };
        let tail = tail.filter(|from| *from <= FARTHEST_TAIL);
        let end = match (closed, &tail) {
            (Some(end), _) => end.max(Rational::new()),
            (None, Some(from)) if *from <= NEAR_TAIL => from.clone(),
            (None, _) => self.far(direction, order, &mut points)?,
        };
        let closed = tail.is_some()
            || closed_end(&points, &end)
            || matches!((&largest, order), (LossBound::At(_), o) if o.is_le());
        if let Some((epsilon, point)) = self.look(&end, &other, direction, &mut points)? {
            return Ok(Found::Above(Above { epsilon, point, end }));
        }
        let mut end = end;
        let seen = if tail.is_some() { tail.as_ref() <= Some(&end) } else { closed };
        if !seen && order == Ordering::Equal {
            let last = tail.clone().unwrap_or_else(|| Rational::from(FARTHEST)).min(Rational::from(FARTHEST));
            if let Some(witness) = self.beyond(&end, &last, direction)? {
                return Ok(Found::Beyond(witness));
            }
        }
        if let Some(from) = tail.filter(|from| *from > end) {
            end = from;
            self.point(&end, direction, &mut points)?;
        }
        let tip = match (&largest, &other, order) {
            (LossBound::At(a), LossBound::At(b), Ordering::Equal) if a.compare(b) == Some(Ordering::Equal) => {
                let steep = declined(self.second.tip(direction))?.flatten();
                steep.map(|steep| Tip { x: a.enclosure(BITS).exp(), limit: mass.enclosure(BITS), steep })
            }
            _ => None,
        };
        match self.prove(&end, tip.as_ref(), direction, &mut points)? {
            Found::Proven if closed || self.below_limit(&end, limit, order, &points) => Ok(Found::Proven),
            Found::Proven => Ok(Found::Open(Reason::from(format!(
                "it holds for all epsilons up to {} in the {} direction; beyond that, both profiles tend to one \
                 limit, and dpcert cannot prove which is larger",
                end.to_f64(),
                if direction == Direction::Forward { "forward" } else { "backward" }
            )))),
            other => Ok(other),
        }
    }

    /// An epsilon beyond which there is little left to see.
    fn far(
        &self,
        direction: Direction,
        order: Ordering,
        points: &mut BTreeMap<Rational, Point>,
    ) -> Result<Rational, Error> {
        let small = Float::with_val(64, Float::i_exp(1, -40));
        let (_, limit) = self.second.end(direction);
        let limit = limit.enclosure(BITS);
        let mut end = 1_u32;
        loop {
            let at = Rational::from(end);
            let point = self.point(&at, direction, points)?;
            let gone = *point.first.upper() < small && *point.second.upper() < small;
            let below = order == Ordering::Less && point.first.upper() <= limit.lower();
            let above = point.first.lower() > point.second.upper();
            if gone || below || above || end >= FARTHEST {
                return Ok(at);
            }
            end *= 2;
        }
    }

    /// Is the first below the limit of the second there, and so from there on?
    fn below_limit(&self, end: &Rational, limit: &Real, order: Ordering, points: &BTreeMap<Rational, Point>) -> bool {
        let limit = limit.enclosure(BITS);
        order == Ordering::Less && points.get(end).is_some_and(|point| point.first.upper() <= limit.lower())
    }

    fn point(
        &self,
        at: &Rational,
        direction: Direction,
        points: &mut BTreeMap<Rational, Point>,
    ) -> Result<Point, Error> {
        if let Some(point) = points.get(at) {
            return Ok(point.clone());
        }
        let point = self.compared(at, direction, self.budget)?;
        points.insert(at.clone(), point.clone());
        Ok(point)
    }

    /// Both profiles at an epsilon.
    ///
    /// # Errors
    /// Those of the profiles.
    pub(super) fn compared(&self, at: &Rational, direction: Direction, budget: &Budget) -> Result<Point, Error> {
        budget.check()?;
        Ok(Point {
            x: Enclosure::rational(at, BITS).exp(),
            first: self.first.delta(at, direction, budget)?,
            second: self.second.delta(at, direction, budget)?,
        })
    }

    /// The mass of the first at infinity, in a direction.
    pub(super) fn first_mass(&self, direction: Direction) -> Enclosure {
        self.first.end(direction).1.enclosure(BITS)
    }

    /// The profile of the first at an epsilon.
    ///
    /// # Errors
    /// Those of the profile.
    pub(super) fn first_at(&self, at: &Rational, direction: Direction, budget: &Budget) -> Result<Enclosure, Error> {
        self.first.delta(at, direction, budget)
    }

    /// A first look at some epsilons, those near 0 and the end of the second curve among them.
    fn look(
        &self,
        end: &Rational,
        other: &LossBound,
        direction: Direction,
        points: &mut BTreeMap<Rational, Point>,
    ) -> Result<Option<(Rational, Point)>, Error> {
        let mut all: Vec<Rational> = (0..=FIRST).map(|i| end * Rational::from((i, FIRST))).collect();
        all.extend((1..=6).map(|i| Rational::from(end >> (4 + i))));
        if let LossBound::At(loss) = other {
            all.extend(loss.enclosure(64).upper().to_rational().filter(|loss| *loss > 0));
        }
        for at in all {
            let point = self.point(&at, direction, points)?;
            if point.first.lower() > point.second.upper() {
                return Ok(Some((at, point)));
            }
        }
        Ok(None)
    }

    fn prove(
        &self,
        end: &Rational,
        tip: Option<&Tip>,
        direction: Direction,
        points: &mut BTreeMap<Rational, Point>,
    ) -> Result<Found, Error> {
        let known: Vec<Rational> = points.range(..=end.clone()).map(|(at, _)| at.clone()).collect();
        let mut open: Vec<(Rational, Rational)> =
            known.windows(2).filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))).collect();
        while let Some((low, high)) = open.pop() {
            let last = high == *end && tip.is_some_and(|tip| points.get(&low).is_some_and(|point| tip.covers(point)));
            if last || covered(points, &low, &high) {
                continue;
            }
            let middle = Rational::from(&low + &high) / 2u32;
            let narrow = Rational::from(&high - &low) * NARROWEST < *(&high).max(&Rational::from(1));
            if narrow || points.len() > POINTS {
                return Ok(Found::Open(Reason::from(format!(
                    "the two profiles are too close to each other near epsilon = {}",
                    middle.to_f64()
                ))));
            }
            let point = self.point(&middle, direction, points)?;
            if point.first.lower() > point.second.upper() {
                return Ok(Found::Above(Above { epsilon: middle, point, end: end.clone() }));
            }
            open.push((low, middle.clone()));
            open.push((middle, high));
        }
        Ok(Found::Proven)
    }

    /// A type I error at which the first has the smaller type II error, from an epsilon at which its profile is larger:
    /// where the line of that slope touches its trade-off function.
    fn witness(&self, epsilon: &Rational, direction: Direction) -> Result<Option<Witness>, Error> {
        for shift in [6_u32, 10, 3, 16] {
            let step = Rational::from((1, 1_u32 << shift));
            let mut ends = Vec::new();
            for at in [Rational::from(epsilon - &step), Rational::from(epsilon + &step)] {
                if let Some(value) = declined(self.first.delta(&at, direction, self.budget))? {
                    ends.push((Enclosure::rational(&at, BITS).exp(), value));
                }
            }
            let [(x, low), (y, high)] = ends.as_slice() else { continue };
            let middle = |set: &Enclosure| Float::with_val(BITS, set.lower() + set.upper()) / 2u32;
            let slope = middle(&(&(low - high) / &(y - x)));
            // As short as it may be.
            let short = |value: &Float| Float::with_val(12, value).to_rational();
            let alpha = match direction {
                Direction::Backward => short(&slope),
                // On the inverse function: its value there, which may be near 1.
                _ => {
                    let x = middle(&Enclosure::rational(epsilon, BITS).exp());
                    let top = middle(&(&(low + high) / &Enclosure::integer(&2.into(), BITS)));
                    short(&(top + x * slope)).map(|power| 1 - power)
                }
            };
            let Some(alpha) = alpha.filter(|alpha| *alpha >= 0 && *alpha <= 1) else { continue };
            if let Some(witness) = self.below(&alpha)? {
                return Ok(Some(witness));
            }
        }
        // Where the profile hardly bends, or bends too sharply for such steps.
        for alpha in [(1_u32, 2_u32), (1, 16), (15, 16)] {
            if let Some(witness) = self.below(&Rational::from(alpha))? {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }

    /// Is the first certainly below the second at this type I error?
    fn below(&self, alpha: &Rational) -> Result<Option<Witness>, Error> {
        for bits in [96_u32, 256] {
            // Type II errors so near to 1 are told apart by the profiles alone (`onwards`), and take long here.
            if *alpha > 0 && *alpha < Rational::from((1, Integer::from(1) << bits)) {
                continue;
            }
            let first = declined(self.first.beta(alpha, bits, self.budget))?;
            let second = declined(self.second.beta(alpha, bits, self.budget))?;
            if let (Some(first), Some(second)) = (first, second)
                && first.upper() < second.lower()
            {
                return Ok(Some(Witness::new(alpha.clone(), first, second)));
            }
        }
        Ok(None)
    }
}

impl Tip {
    /// Is it proven from this point to the end?
    fn covers(&self, point: &Point) -> bool {
        let chord = &point.first - &self.limit;
        let line = &self.steep * &(&self.x - &point.x);
        chord.upper() <= line.lower()
    }
}

/// Was this point reached because the first is its limit there?
fn closed_end(points: &BTreeMap<Rational, Point>, end: &Rational) -> bool {
    points.get(end).is_some_and(|point| point.first.is_point() && *point.first.upper() == 0)
}

/// Is it proven between two neighbouring points?
fn covered(points: &BTreeMap<Rational, Point>, low: &Rational, high: &Rational) -> bool {
    let (Some(one), Some(two)) = (points.get(low), points.get(high)) else { return false };
    if one.first.upper() <= two.second.lower() {
        return true;
    }
    let certainly = |a: &Enclosure, b: &Enclosure| a.upper() <= b.lower();
    if !certainly(&one.first, &one.second) || !certainly(&two.first, &two.second) {
        return false;
    }
    let before = points.range(..low.clone()).next_back().map(|(_, point)| point);
    let after = points.range(high.clone()..).nth(1).map(|(_, point)| point);
    let (Some(before), Some(after)) = (before, after) else { return false };
    let slope = |a: &Point, b: &Point| &(&b.second - &a.second) / &(&b.x - &a.x);
    let (left, right) = (slope(before, one), slope(two, after));
    let width = &two.x - &one.x;
    let chord = &(&two.first - &one.first) / &width;
    // About where both lines meet: any point between will do.
    let meet = &(&(&two.second - &one.second) - &(&right * &width)) / &(&left - &right);
    let part = Float::with_val(BITS, meet.lower() + meet.upper()) / 2u32;
    if !part.is_finite() || part <= 0 || part > *width.upper() {
        return false;
    }
    let at = Enclosure::new(part.clone(), part);
    if at.upper() > width.lower() {
        return false;
    }
    let here = &one.first + &(&chord * &at);
    let from_left = &one.second + &(&left * &at);
    let from_right = &two.second - &(&right * &(&width - &at));
    certainly(&here, &from_left) && certainly(&here, &from_right)
}
