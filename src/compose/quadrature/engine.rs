//! The curve of a product of factors: which line for which point, and everything else from the profile.

mod chernoff;
mod inverse;
mod peak;

use std::cmp::Ordering;
use std::f64::consts::LN_2;
use std::sync::{Arc, OnceLock};

use rug::float::Round::Down;
use rug::{Float, Integer, Rational};

pub use self::chernoff::Chernoff;
use self::inverse::Inverse;
use super::contour::{Contour, Effort, MOST_LONG_BITS};
use super::factor::{Factor, LatticeSpan, Reversed};
use super::infinite::infinite;
use super::plan::{End, Known, Plan, PoleSide, Reach, Search};
use crate::alarm;
use crate::compose::choose::Refusal;
use crate::curve::{Curve, Direction, Value};
use crate::error::Error;
use crate::pair::LossBound;
use crate::statement::{self, Statement};
use enclosure::{Budget, Cache, Enclosure, Number, Portable, Real, common_unit};

/// Lines that are remembered.
const MOST_CONTOURS: usize = 48;
/// Guard bits of a line that is to serve the points around it.
const GUARD_BITS: u32 = 10;
/// The lines of neighbouring points stand this many standard deviations of the loss apart; half of it costs
/// `3^2/2` nats, which the guard bits are for.
const GRID_STEP: f64 = 6.0;
/// Bits of a loss that is sought beyond the unit of its lattice.
const PART_OF_UNIT: u32 = 6;
/// The profile is asked for type II errors only at type I errors of at least this, and of at most one less this.
const FEW_ERRORS: f64 = 1.0 / 1024.0;
/// And only if its lines are so much cheaper.
const CHEAPER: f64 = 4.0;
/// Bits that a maximum of the profile's lines loses, asked of dear lines in addition.
const SPARE: u32 = 7;
/// Bits of values that are compared with alpha at losses of a lattice beyond those of the type II error, and of those
/// around the maximum that it is.
const BESIDE_LOSSES: u32 = 8;
const BESIDE_PEAK: u32 = 24;
/// So many bits less in integers of 128 bits are none either.
const LONG_ENOUGH: i64 = 18;
/// A lattice finer than this, in standard deviations, needs a search that is not sure to end.
const FINEST: f64 = 1e-9;
/// A lattice of more points than this in one period is treated like losses on no lattice.
const LONGEST_PERIOD: f64 = 1e15;

/// Where few bits are asked for all of them are wanted.
const FEW: u32 = 40;
/// No more bits than this are given away where they could be had.
const GIVEN_AWAY: i64 = 10;
/// So many bits less than are enough are nearly as good, for a start.
const NEARLY: i64 = 8;

/// How well a value is to be known.
#[derive(Clone, Copy)]
struct Asked {
    /// Relative bits that lines are planned for.
    bits: u32,
    /// Relative bits that are good enough, once they are there; and in integers of 128 bits.
    enough: i64,
    long_enough: i64,
    /// Is no other value asked for nearby?
    alone: bool,
    /// Bits that lines have beyond those.
    more: u32,
    /// Where lines are planned for that the line of the grid is too far from; else at the point itself.
    own: Option<f64>,
}

impl Asked {
    /// All bits that are asked for.
    fn all(bits: u32, more: u32) -> Self {
        let bits_asked = i64::from(bits);
        Asked { bits, enough: bits_asked, long_enough: bits_asked - LONG_ENOUGH, alone: false, more, own: None }
    }

    /// For a value alone: who asks the engine allows for the loss of 32 bits, of which `goal` takes up to 24, or a
    /// quarter of all.
    fn with_slack(bits: u32, more: u32) -> Self {
        let bits_asked = i64::from(bits);
        let slack = (32 - bits_asked / 3).max(8);
        let given_away = if bits < FEW { 0 } else { slack.min(GIVEN_AWAY) };
        Asked {
            bits,
            enough: bits_asked - given_away,
            long_enough: bits_asked - slack.min(LONG_ENOUGH),
            alone: true,
            more,
            own: None,
        }
    }
}

/// A composition of factors.
pub struct Quadrature {
    sides: [Side; 2],
    symmetric: bool,
}

/// One direction.
struct Side {
    factors: Vec<(Arc<dyn Factor>, u64)>,
    span: Option<LatticeSpan>,
    /// About the standard deviation of the loss, zero if it is not known.
    deviation: f64,
    /// Is this the second contour, which checks the first?
    second: bool,
    /// What its lines are for.
    effort: Effort,
    /// The relative bits that it is content with.
    content: u32,
    /// Is the mass at infinity no part of the profile?
    finite: bool,
    /// By end of the law, the double they are planned for, and bits.
    contours: Cache<(Option<End>, u64, u32), Contour>,
    /// What all its searches know.
    known: Known,
    /// The least and the largest finite loss, which take long to add up.
    range: OnceLock<(Option<Real>, Option<Real>)>,
}

impl Quadrature {
    /// The composition of each factor so many times. `symmetric` promises that both directions are the same function.
    pub fn new(factors: Vec<(Arc<dyn Factor>, u64)>, symmetric: bool) -> Self {
        let factors: Vec<_> = factors.into_iter().filter(|(_, times)| *times > 0).collect();
        let reversed = factors.iter().map(|(factor, times)| {
            let reversed: Arc<dyn Factor> = Arc::new(Reversed(Arc::clone(factor)));
            (reversed, *times)
        });
        let backward = Side::new(reversed.collect());
        Quadrature { sides: [Side::new(factors), backward], symmetric }
    }

    /// The same composition on other contours with other nodes, at which all factors are evaluated afresh: what both
    /// say must overlap.
    #[must_use]
    pub fn on_second_contours(mut self) -> Self {
        for side in &mut self.sides {
            side.second = true;
            side.contours = Cache::by_point(MOST_CONTOURS);
        }
        self
    }

    /// The same by nodes in a row in doubles, so many that they are a period over `2^-fineness`, content with so many
    /// bits of the profile: between a minorant and a majorant, which are apart by `4^-fineness/8` for each unit of
    /// density.
    #[must_use]
    pub(in crate::compose) fn in_a_row(mut self, fineness: i32, bits: u32) -> Self {
        for side in &mut self.sides {
            (side.effort, side.content) = (Effort::Row(fineness), bits);
            (side.span, side.contours) = (None, Cache::by_point(MOST_CONTOURS));
        }
        self
    }

    /// The same of an integrand that does not decay, content with so many digits of the profile, for each is dear.
    pub(in crate::compose) fn almost_periodic(mut self, digits: u32) -> Result<Self, Refusal> {
        if self.is_quick() {
            return Err(Refusal::OtherKind);
        }
        let bits = f64::from(digits) * std::f64::consts::LOG2_10;
        for side in &mut self.sides {
            (side.effort, side.content) = (Effort::Content, bits.ceil() as u32 + 3);
            (side.span, side.contours) = (None, Cache::by_point(MOST_CONTOURS));
        }
        Ok(self)
    }

    /// The same by all nodes up to some, whether the integrand decays or not, content with so many digits of the
    /// profile.
    pub(in crate::compose) fn swept(mut self, digits: u32) -> Self {
        let bits = f64::from(digits) * std::f64::consts::LOG2_10;
        for side in &mut self.sides {
            (side.effort, side.content) = (Effort::Swept, bits.ceil() as u32 + 3);
            (side.span, side.contours) = (None, Cache::by_point(MOST_CONTOURS));
        }
        self
    }

    /// What finite losses have in the profile, `E[(1 - e^(eps-L))_+; L < infinity]`, in the place of all of it.
    #[must_use]
    pub(in crate::compose) fn of_finite_losses(mut self) -> Self {
        for side in &mut self.sides {
            side.finite = true;
        }
        self
    }

    /// About the standard deviation of the loss; zero if it is not known.
    pub(in crate::compose) fn deviation(&self) -> f64 {
        self.sides[0].deviation
    }

    /// About the tilt of the line for an epsilon.
    pub(in crate::compose) fn tilt(&self, epsilon: f64, direction: Direction, budget: &Budget) -> f64 {
        self.side(direction).search(budget).tilt(epsilon)
    }

    /// Where a line stands that serves an epsilon and all around it: lines are so many standard deviations apart.
    pub(in crate::compose) fn centre(&self, epsilon: f64, direction: Direction, deviations: f64) -> f64 {
        self.side(direction).shared_point(epsilon, deviations)
    }

    /// The profile at an epsilon from the line at another one nearby: many questions there then share its nodes.
    pub(in crate::compose) fn delta_around(
        &self,
        centre: f64,
        epsilon: &Real,
        (direction, bits): (Direction, u32),
        budget: &Budget,
    ) -> Result<Number, Error> {
        self.side(direction).delta_from(centre, epsilon, self.goal(bits), budget)
    }

    /// Is it a matter of few nodes?
    pub(in crate::compose) fn is_quick(&self) -> bool {
        self.sides[0].is_quick()
    }

    /// The relative bits to aim at: they are not lost on the way here, as the loop that asks for `bits` allows for with
    /// 32 of them, and each costs nodes; without decay, where the reach of the nodes is inverse to the error, it
    /// doubles them.
    fn goal(&self, bits: u32) -> u32 {
        let content = self.sides[0].content;
        if content < bits {
            return content;
        }
        if self.is_quick() { bits - (bits / 4).min(24) } else { bits.saturating_sub(30).max(8) }
    }

    fn side(&self, direction: Direction) -> &Side {
        let [forward, backward] = &self.sides;
        if direction == Direction::Backward && !self.symmetric { backward } else { forward }
    }
}

/// The common lattice of all factors, if they have one that is not too fine.
pub(super) fn common_span(factors: &[(Arc<dyn Factor>, u64)]) -> Option<LatticeSpan> {
    let mut all: Option<LatticeSpan> = None;
    for (factor, times) in factors {
        let LatticeSpan { unit, offset } = factor.span()?;
        let offset = offset.mul_rational(&Rational::from(*times));
        all = Some(match all {
            None => LatticeSpan { unit, offset },
            Some(sum) => {
                let (unit, _) = common_unit([&sum.unit, &unit])?;
                LatticeSpan { unit, offset: sum.offset.add(&offset) }
            }
        });
    }
    all
}

impl Side {
    fn new(factors: Vec<(Arc<dyn Factor>, u64)>) -> Self {
        let span = common_span(&factors);
        let known = Known::default();
        let deviation = Search::new(&factors).remembering(&known).deviation();
        let (effort, content, contours, range) =
            (Effort::Full, u32::MAX, Cache::by_point(MOST_CONTOURS), OnceLock::new());
        let (second, finite) = (false, false);
        Side { factors, span, deviation, second, effort, content, finite, contours, known, range }
    }

    /// A search for lines, while there is time.
    fn search<'a>(&'a self, budget: &'a Budget) -> Search<'a> {
        Search::new(&self.factors).remembering(&self.known).within(budget)
    }

    fn infinite_p(&self, bits: u32) -> Number {
        infinite(&self.factors, bits.saturating_add(72), |factor, bits| factor.infinite_p(bits))
    }

    fn infinite_q(&self, bits: u32) -> Number {
        infinite(&self.factors, bits.saturating_add(72), |factor, bits| factor.infinite_q(bits))
    }

    /// What the mass at infinity has in the profile.
    fn in_profile(&self, bits: u32) -> Number {
        if self.finite { Number::zero() } else { self.infinite_p(bits) }
    }

    /// The mass that the profile is of.
    fn mass(&self, bits: u32) -> Number {
        if self.finite { &Number::one() - &self.infinite_p(bits) } else { Number::one() }
    }

    /// The least and the largest finite loss, where there are such and they are known.
    fn range(&self) -> &(Option<Real>, Option<Real>) {
        self.range.get_or_init(|| {
            let sum = |pick: fn((LossBound, LossBound)) -> LossBound| {
                LossBound::sum(self.factors.iter().map(|(factor, times)| (pick(factor.range()), *times))).known()
            };
            (sum(|range| range.0), sum(|range| range.1))
        })
    }

    /// The lattice, unless a period of that length would have too many points.
    fn span_for(&self, period: f64) -> Option<&LatticeSpan> {
        self.span.as_ref().filter(|span| period / span.unit.to_f64() < LONGEST_PERIOD)
    }

    /// Guard bits for the points around a line.
    fn guard_bits(&self) -> u32 {
        match self.effort {
            effort if effort.is_content() => 0,
            _ if self.is_quick() => GUARD_BITS,
            _ => 3,
        }
    }

    /// Is it a matter of few nodes: because the integrand decays, or because the losses have a lattice that is not too
    /// fine?
    fn is_quick(&self) -> bool {
        let decays = self.factors.iter().any(|(factor, _)| factor.decays());
        let fineness = self.span.as_ref().map_or(0.0, |span| span.unit.to_f64() / self.deviation.max(1e-300));
        decays || fineness > FINEST
    }

    /// Where the line stands that serves an epsilon: the same for all nearby, whatever is asked first.
    fn grid_point(&self, epsilon: f64) -> f64 {
        if self.is_quick() && !self.effort.is_content() { self.shared_point(epsilon, GRID_STEP) } else { epsilon }
    }

    /// The nearest of the points that are so many standard deviations apart; none but the epsilon itself beyond the
    /// last loss, where there is no saddle to stand on.
    fn shared_point(&self, epsilon: f64, deviations: f64) -> f64 {
        let step = deviations * self.deviation;
        // Of both zeros there is one line.
        let shared = (epsilon / step).round() * step + 0.0;
        let (least, largest) = self.range();
        let inside = least.as_ref().is_none_or(|least| least.to_f64() < shared)
            && largest.as_ref().is_none_or(|largest| shared < largest.to_f64());
        if step > 0.0 && shared.is_finite() && inside { shared } else { epsilon }
    }

    /// The plan of a line.
    fn plan(&self, search: &Search, end: Option<End>, at: f64, bits: u32) -> Plan {
        let plan = match end {
            Some(end) => search.plan_end(end, at, f64::from(bits)),
            None => search.plan(at, f64::from(bits)),
        };
        if self.second { search.moved(&plan, at) } else { plan }
    }

    /// The line planned for a point.
    fn contour(&self, end: Option<End>, at: f64, bits: u32, budget: &Budget) -> Result<Arc<Contour>, Error> {
        let bits = bits.min(self.content.saturating_add(SPARE));
        self.contours.get((end, at.to_bits(), bits), || {
            let far = self.effort.is_content();
            let reach = match self.effort {
                Effort::Content => Reach::Scattered,
                Effort::Swept => Reach::Swept,
                Effort::Row(_) => Reach::Row,
                _ => Reach::Near,
            };
            let row = matches!(self.effort, Effort::Row(_));
            let around = if far && !row || self.grid_point(at) != at { 0.0 } else { 0.5 * GRID_STEP * self.deviation };
            let plan = self.plan(&self.search(budget).serving(around).reaching(reach), end, at, bits);
            budget.check()?;
            // Nothing is locked here, so that the lines remembered can go.
            let make_room = |left: u64| self.contours.shed(left, Contour::bytes);
            let asked = (&plan, self.effort, end.is_some());
            Contour::new(&self.factors, self.span_for(plan.period), asked, budget, make_room)
        })
    }

    /// What is derived from a line at an epsilon, to `bits` relative bits if that is within reach.
    ///
    /// First from the line that is planned for `grid_point`, then from lines planned for the epsilon itself, of more
    /// bits.
    fn value(
        &self,
        end: Option<End>,
        (grid_point, epsilon): (f64, &Real),
        bits: u32,
        budget: &Budget,
        derive: &dyn Fn(PoleSide, &Contour) -> Result<Enclosure, Error>,
    ) -> Result<Enclosure, Error> {
        self.value_asked(end, (grid_point, epsilon), Asked::all(bits, self.guard_bits()), budget, derive)
    }

    /// The same with what is enough of it.
    fn value_asked(
        &self,
        end: Option<End>,
        (grid_point, epsilon): (f64, &Real),
        Asked { bits, enough, long_enough, alone, mut more, own }: Asked,
        budget: &Budget,
        derive: &dyn Fn(PoleSide, &Contour) -> Result<Enclosure, Error>,
    ) -> Result<Enclosure, Error> {
        let mut best: Option<Enclosure> = None;
        let mut at = grid_point;
        let planned = own.unwrap_or(epsilon.to_f64());
        // A search asks a line for many points near to it: with more bits, if need be, it serves them all.
        let own = self.grid_point(epsilon.to_f64()) == grid_point;
        let mut shared = !own && (epsilon.to_f64() - grid_point).abs() <= 0.5 * GRID_STEP * self.deviation;
        for _ in 0..4 {
            budget.check()?;
            let contour = match self.contour(end, at, bits.saturating_add(more), budget) {
                // The line of the grid point may be out of reach where that of the point is not.
                Err(Error::Undecided(_)) if at != planned => {
                    at = planned;
                    continue;
                }
                // What another line proved is told, where nobody searches by it.
                Err(Error::Undecided(_)) if alone && best.is_some() => break,
                contour => contour?,
            };
            contour.note(epsilon, budget);
            let value = derive(contour.pole_side(), &contour)?;
            let proven = value.relative_bits();
            best = Some(match best {
                Some(before) => alarm::meet(&before, &value, "value on two contours")?,
                None => value,
            });
            match proven {
                Some(proven) if proven >= enough => break,
                // Of these integers, too, a line of its own has no more.
                Some(proven) if contour.is_long() && proven >= long_enough => break,
                // Nor are there more bits than these.
                _ if contour.effort().is_content() => break,
                // A value that is known somewhat tells how many bits it takes, if the saddle does not.
                Some(proven) if alone && proven > 0 && (at != grid_point || proven + i64::from(more) < enough) => {
                    let log = best.as_ref().map_or(0.0, |value| value.lower().clone().ln().to_f64());
                    // Nearly as many are worth a line in integers, which is cheap.
                    let nearly = if proven < enough - NEARLY { enough - NEARLY } else { enough };
                    let short = if contour.is_long() {
                        contour.short_of(log, (enough as f64, nearly as f64))
                    } else if at != planned {
                        // The next line is nearer, but what it is planned for may be more than there is.
                        (self.search(budget).log_delta(planned) - log) / LN_2 + 1.0
                    } else {
                        contour.short_of(log, (enough as f64, nearly as f64)).max((enough - proven) as f64)
                    };
                    more = more.saturating_add(short.ceil().clamp(1.0, 1e9) as u32);
                }
                // Questions nearby share that line, too.
                Some(proven) if at != planned && shared => {
                    shared = false;
                    more = more.saturating_add(u32::try_from(i64::from(bits) - proven + 8).unwrap_or(u32::MAX));
                    continue;
                }
                Some(proven) if at != grid_point => {
                    more = more.saturating_add(u32::try_from(i64::from(bits) - proven + 8).unwrap_or(u32::MAX));
                }
                None if at != grid_point => more = more.saturating_mul(2).saturating_add(bits),
                _ => {}
            }
            at = planned;
            if bits.saturating_add(more) > budget.max_bits() {
                break;
            }
        }
        best.ok_or_else(|| Error::Undecided("no contour was tried".into()))
    }

    /// The profile.
    fn delta(&self, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let asked = if self.is_quick() { Asked::with_slack } else { Asked::all };
        self.delta_asked(self.grid_point(epsilon.to_f64()), epsilon, asked(bits, self.guard_bits()), budget)
    }

    /// The profile, from the line at a point of the grid.
    fn delta_from(&self, grid_point: f64, epsilon: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.delta_asked(grid_point, epsilon, Asked::all(bits, self.guard_bits()), budget)
    }

    /// The same with what is enough of it.
    fn delta_asked(&self, grid_point: f64, epsilon: &Real, asked: Asked, budget: &Budget) -> Result<Number, Error> {
        let bits = asked.bits;
        if let Some(delta) = self.delta_outside(epsilon, bits)? {
            return Ok(delta);
        }
        let infinite = self.in_profile(bits).enclosure(bits.saturating_add(72));
        let value = self.value_asked(None, (grid_point, epsilon), asked, budget, &|pole_side, contour| {
            let value = contour.value(epsilon)?;
            let all = || self.mass(value.bits()).enclosure(value.bits());
            Ok(match pole_side {
                PoleSide::Right => &infinite + &value,
                PoleSide::Middle => &all() - &value,
                PoleSide::Left => &(&all() - &self.shared(epsilon, value.bits())) + &value,
            })
        })?;
        alarm::not_negative(&value, "profile by quadrature").map(Number::Enclosed)
    }

    /// `e^eps Q(L < infinity)`: left of both poles,
    /// `E[(1-e^(y-L))_+] = P(L < infinity) - e^y Q(L < infinity) + E[(e^(y-L)-1)_+]`.
    fn shared(&self, epsilon: &Real, bits: u32) -> Enclosure {
        let kept = &Number::one() - &self.infinite_q(bits);
        (&epsilon.exp_number(bits.saturating_add(64)) * &kept).enclosure(bits.saturating_add(64))
    }

    /// The profile where all finite losses are on one side of epsilon; there it is elementary.
    fn delta_outside(&self, epsilon: &Real, bits: u32) -> Result<Option<Number>, Error> {
        let (least, largest) = self.range();
        if let Some(largest) = largest
            && matches!(epsilon.compare(largest), Some(Ordering::Greater | Ordering::Equal))
        {
            return Ok(Some(self.in_profile(bits)));
        }
        if let Some(least) = least
            && matches!(epsilon.compare(least), Some(Ordering::Less | Ordering::Equal))
        {
            let kept = &Number::one() - &self.infinite_q(bits);
            return Ok(Some(&self.mass(bits) - &(&epsilon.exp_number(bits.saturating_add(64)) * &kept)));
        }
        Ok(None)
    }

    /// `P(L < loss)` for a loss of the lattice, if there is one.
    #[cfg(feature = "cli")]
    fn below(&self, loss: &Real, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        let grid_point = self.grid_point(loss.to_f64());
        let plan = self.search(budget).plan_end(End::Lower, grid_point, f64::from(bits));
        budget.check()?;
        let on_it =
            |span: &LatticeSpan| loss.sub(&span.offset).ratio(&span.unit).is_some_and(|place| place.is_integer());
        if !self.span_for(plan.period).is_some_and(on_it) {
            return Ok(None);
        }
        let value = self.value(Some(End::Lower), (grid_point, loss), bits, budget, &|_, contour| contour.tail(loss))?;
        Ok(Some(Number::Enclosed(value)))
    }

    fn beta(&self, alpha: &Real, bits: u32, budget: &Budget) -> Result<Number, Error> {
        let wide = bits.saturating_add(72);
        // Accepting where the loss is infinite costs no type II error.
        let rest = &(&Number::one() - &alpha.number(wide)) - &self.infinite_p(bits);
        if rest.sign() != Some(Ordering::Greater) {
            // Not told from the end by these bits.
            return Ok(Number::Enclosed(Enclosure::zero(2).hull(&Enclosure::one(2))));
        }
        let small = alpha.to_f64() <= 0.5;
        let end = if small { End::Lower } else { End::Upper };
        let target = if small { alpha.enclosure(wide) } else { rest.enclosure(wide) };
        let log_target = target.ln();
        let search = self.search(budget);
        let guess = search.quantile(end, f64::midpoint(log_target.lower().to_f64(), log_target.upper().to_f64()));
        let plan = self.plan(&search, Some(end), guess, bits);
        let span = self.span_for(plan.period);
        // Only for an alpha near either end is the profile worth less than what is beyond.
        let profile = span.is_none() && alpha.to_f64() > FEW_ERRORS && alpha.to_f64() < 1.0 - FEW_ERRORS;
        let through = profile && self.plan(&search, None, guess, bits).cost * CHEAPER < plan.cost;
        budget.check()?;
        let line = if through { None } else { Some(end) };
        let grid_point = self.grid_point(guess);
        // The line of the quantile is that of the values, unless few bits of it are in integers, which are cheap.
        let more = match span {
            Some(_) => BESIDE_LOSSES,
            None if bits > MOST_LONG_BITS => BESIDE_PEAK,
            None => 0,
        };
        let place = Place { side: self, alpha, end, line, target, grid_point, bits, more, budget };
        match span {
            Some(span) => place.on_lattice(span, guess),
            None => place.smooth(guess),
        }
    }
}

/// What [`Place`] looks for, to be told in an alarm.
const TYPE_II: &str = "type II error by quadrature";

/// The search for the slope of the trade-off function at an alpha.
struct Place<'a> {
    side: &'a Side,
    alpha: &'a Real,
    end: End,
    /// Which lines are asked: those of the end, or those of the profile.
    line: Option<End>,
    /// What the tail of that end must be: `alpha` below, or what is left of one above.
    target: Enclosure,
    /// Where the line stands.
    grid_point: f64,
    bits: u32,
    /// Bits that the line of the quantile has more than that.
    more: u32,
    budget: &'a Budget,
}

impl Place<'_> {
    /// `1 - alpha - delta(epsilon)`: the best test that accepts mass `1 - alpha` has type II error at least
    /// `e^-epsilon` times this.
    fn excess(&self, epsilon: &Real, bits: u32) -> Result<Enclosure, Error> {
        let wide = bits.saturating_add(72);
        if let Some(delta) = self.side.delta_outside(epsilon, wide)? {
            let rest = &(&Number::one() - &self.alpha.number(wide)) - &delta;
            return Ok(rest.enclosure(wide));
        }
        let infinite = self.side.infinite_p(bits).enclosure(wide);
        self.side.value(self.line, (self.grid_point, epsilon), bits, self.budget, &|pole_side, contour| {
            let value = contour.value(epsilon)?;
            Ok(match pole_side {
                PoleSide::Right => &(&(&Number::one() - &self.alpha.number(wide)).enclosure(wide) - &infinite) - &value,
                PoleSide::Middle => &value - &self.alpha.enclosure(wide),
                PoleSide::Left => &(&self.side.shared(epsilon, wide) - &self.alpha.enclosure(wide)) - &value,
            })
        })
    }

    /// `e^-epsilon (1 - alpha - delta(epsilon))`.
    fn line(&self, epsilon: &Real, bits: u32) -> Result<Enclosure, Error> {
        let fall = (-epsilon.enclosure(bits.saturating_add(72))).exp();
        Ok((&self.excess(epsilon, bits)? * &fall).with_bits(bits.saturating_add(8)))
    }

    /// The line by which it is sought.
    fn line_of_quantile(&self) -> Result<Arc<Contour>, Error> {
        let bits = self.bits.saturating_add(self.more).saturating_add(self.side.guard_bits());
        self.side.contour(Some(self.end), self.grid_point, bits, self.budget)
    }

    /// The loss whose tail is the target, to about `bits` bits: a search, by secants on the logarithm.
    fn quantile(&self, guess: f64, bits: u32) -> Result<Float, Error> {
        let contour = self.line_of_quantile()?;
        let work = bits.max(64) + 32;
        let goal = self.target.with_bits(work).ln();
        let excess = |loss: &Float| {
            let loss = Real::from(loss.to_rational().unwrap_or_default());
            let tail = contour.sketch_tail(&loss, bits);
            Float::with_val(work, tail.abs().ln() - goal.lower())
        };
        let mut x = Float::with_val(work, guess);
        // Far from the line's grid point nothing is known of the tail: steps are of the size of the law.
        let most = if self.side.deviation > 0.0 { self.side.deviation } else { guess.abs().max(0.1) };
        let mut y = Float::with_val(work, guess + 0.01 * most);
        let mut fx = excess(&x);
        for _ in 0..60 {
            self.budget.check()?;
            let fy = excess(&y);
            let slope = Float::with_val(work, &fy - &fx);
            if slope.is_zero() || !slope.is_finite() {
                break;
            }
            let step = (Float::with_val(work, &y - &x) * &fy / &slope).clamp(&-most, &most);
            (x, fx) = (y.clone(), fy);
            if !step.is_finite() {
                break;
            }
            y -= &step;
            let scale = y.get_exp().unwrap_or(0).max(-8);
            if step.is_zero() || step.get_exp().unwrap_or(i32::MIN) < scale - bits as i32 {
                break;
            }
        }
        Ok(y)
    }

    /// Losses on a lattice: the trade-off function is a polyline, with slope `-e^-l` between `alpha = P(L < l)` and
    /// `P(L <= l)`.
    ///
    /// `e^-l (1 - alpha - delta(l))` is a lower bound for every l, and the value for the l of alpha's segment. Where
    /// alpha cannot be told from a vertex, both segments meet there, and the maximum of both is the value.
    fn on_lattice(&self, span: &LatticeSpan, guess: f64) -> Result<Number, Error> {
        let unit = span.unit.enclosure(128);
        // To a part of the unit, of a number that is not taken for smaller than 2^-8.
        let size = guess.abs().max(1.0 / 256.0) / unit.lower().to_f64();
        let near =
            self.quantile(guess, (size.portable_log2().clamp(0.0, 54.0) as u32 + PART_OF_UNIT).min(self.bits))?;
        let index = &(&Enclosure::new(near.clone(), near).with_bits(128) - &span.offset.enclosure(128)) / &unit;
        let mut n = index.lower().to_integer_round(Down).map(|(n, _)| n).unwrap_or_default();
        let loss = |n: &Integer| span.offset.add(&span.unit.mul_rational(&Rational::from(n)));
        let bits = self.bits.saturating_add(BESIDE_LOSSES);
        // Is P(L < l_n) at most alpha? (Of finite losses; the atom at infinity is above all of them.)
        let reached = |n: &Integer| -> Result<Option<bool>, Error> {
            let l = loss(n);
            let (least, largest) = self.side.range();
            if least.as_ref().is_some_and(|least| matches!(l.compare(least), Some(Ordering::Less | Ordering::Equal))) {
                return Ok(Some(true));
            }
            if largest.as_ref().is_some_and(|largest| l.compare(largest) == Some(Ordering::Greater)) {
                return Ok(Some(false));
            }
            let tail = self
                .side
                .value(Some(self.end), (self.grid_point, &l), bits, self.budget, &|_, contour| contour.tail(&l))?;
            Ok(match (self.end, tail.compare(&self.target)) {
                (_, None) => None,
                (End::Lower, Some(order)) => Some(order != Ordering::Greater),
                (End::Upper, Some(order)) => Some(order != Ordering::Less),
            })
        };
        // From the guess outwards in growing steps, then by halves.
        let (mut low, mut high): (Option<Integer>, Option<Integer>) = (None, None);
        let mut step = Integer::from(1);
        for _ in 0..400 {
            self.budget.check()?;
            match reached(&n)? {
                Some(true) => low = Some(n.clone()),
                Some(false) => high = Some(n.clone()),
                None => {
                    // Alpha is the vertex between the segments of n - 1 and n, as far as can be told.
                    let (before, next) = (Integer::from(&n - 1u32), Integer::from(&n + 1u32));
                    if reached(&before)? != Some(true) || reached(&next)? != Some(false) {
                        return Ok(Number::Enclosed(Enclosure::zero(2).hull(&Enclosure::one(2))));
                    }
                    let both = self.line(&loss(&n), bits)?.max(&self.line(&loss(&before), bits)?);
                    return alarm::not_negative(&both, TYPE_II).map(Number::Enclosed);
                }
            }
            n = match (&low, &high) {
                (Some(low), Some(high)) if Integer::from(high - low) <= 1 => {
                    return alarm::not_negative(&self.line(&loss(low), bits)?, TYPE_II).map(Number::Enclosed);
                }
                (Some(low), Some(high)) => Integer::from(low + high) >> 1u32,
                (Some(low), None) => Integer::from(low + &step),
                (None, Some(high)) => Integer::from(high - &step),
                (None, None) => n,
            };
            step <<= 1u32;
        }
        Err(Error::Undecided("the search found no segment for this alpha".into()))
    }

    /// Any law: `beta = sup_y g(y)`, `g(y) = y (1 - alpha) - y delta(-ln y)` concave in `y = e^-epsilon` (Lagrange: y
    /// is the price of type I error).
    ///
    /// With `y_1 > y_2 > y_3` and `g(y_2)` the largest, the maximum lies between `y_3` and `y_1`, and concavity bounds
    /// it there by the two secants prolonged: `g(y_2) <= beta <= g(y_2) + max((y_1-y_2) (g_2-g_3)/(y_2-y_3), (y_2-y_3)
    /// (g_2-g_1)/(y_1-y_2))`.
    fn smooth(&self, guess: f64) -> Result<Number, Error> {
        // A line of its own for the maximum is saved where there is much to it.
        let long = self.line.is_some() && self.line_of_quantile()?.is_long();
        let dear = long || self.side.effort.is_content();
        let half = if dear { self.bits.div_ceil(2) } else { self.bits / 2 + 12 };
        let middle = if self.line.is_some() { self.quantile(guess, half)? } else { self.peak(guess, half)? };
        let bits = if long { self.bits } else { self.bits.saturating_add(BESIDE_PEAK) };
        let work = bits.saturating_add(72);
        let mut shift = -i32::try_from(half).unwrap_or(i32::MAX) + 4;
        let at = |x: &Float| -> Result<(Enclosure, Enclosure), Error> {
            let epsilon = Real::from(x.to_rational().unwrap_or_default());
            Ok(((-epsilon.enclosure(work)).exp(), self.line(&epsilon, bits)?))
        };
        let (y2, g2) = &at(&Float::with_val(work, &middle))?;
        if self.side.effort == Effort::Swept {
            // Nearer to each other than this values that are so far off are not told apart: g bends like the density.
            let off = Float::with_val(64, g2.upper() - g2.lower()).to_f64() / y2.lower().to_f64();
            let near = (off * self.side.deviation).portable_log2() / 2.0;
            shift = shift.max(near.clamp(-1e4, 0.0).floor() as i32);
        }
        for _ in 0..if dear { 24 } else { 10 } {
            self.budget.check()?;
            let width = Float::with_val(64, Float::i_exp(1, shift));
            let (y1, g1) = &at(&Float::with_val(work, &middle - &width))?;
            let (y3, g3) = &at(&Float::with_val(work, &middle + &width))?;
            let peak = *g1.upper() < *g2.lower() && *g3.upper() < *g2.lower();
            if peak {
                let above = &(&(y1 - y2) * &(g2 - g3)) / &(y2 - y3);
                let below = &(&(y2 - y3) * &(g2 - g1)) / &(y1 - y2);
                let top = g2 + &above.max(&below);
                return alarm::not_negative(&g2.hull(&top), TYPE_II).map(Number::Enclosed);
            }
            shift += if dear { 1 } else { 6 };
        }
        // Not separated at this precision: at least the best line seen is a lower bound.
        Ok(Number::Enclosed(Enclosure::zero(2).hull(&Enclosure::one(2))))
    }
}

impl Curve for Quadrature {
    fn symmetric(&self) -> bool {
        self.symmetric
    }

    fn delta(&self, epsilon: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        self.side(direction).delta(epsilon, self.goal(bits), budget)
    }

    fn epsilon(&self, delta: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Value, Error> {
        Inverse::new(self.side(direction), delta, self.goal(bits), budget)?.epsilon()
    }

    fn beta(&self, alpha: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Number, Error> {
        {
            let goal = self.goal(bits);
            let side = self.side(direction);
            side.beta(alpha, if side.effort.is_content() { goal.saturating_add(SPARE) } else { goal }, budget)
        }
    }

    #[cfg(feature = "cli")]
    fn below(&self, loss: &Real, direction: Direction, bits: u32, budget: &Budget) -> Result<Option<Number>, Error> {
        self.side(direction).below(loss, bits, budget)
    }

    fn is_at_most(
        &self,
        epsilon: &Real,
        direction: Direction,
        level: &Enclosure,
        budget: &Budget,
    ) -> Result<bool, Error> {
        self.side(direction).is_at_most(epsilon, level, budget)
    }

    fn sketches(&self) -> bool {
        true
    }

    fn method(&self) -> &'static str {
        if self.sides.iter().any(|side| side.effort == Effort::Swept) {
            "trapezoid rule on a shifted contour, all nodes far out"
        } else if self.sides.iter().any(|side| side.effort == Effort::Content) {
            "trapezoid rule on a shifted contour, far out"
        } else if self.sides.iter().any(|side| side.second) {
            "trapezoid rule on a second shifted contour"
        } else {
            "trapezoid rule on a shifted contour"
        }
    }

    fn statement(&self) -> &'static Statement {
        if self.sides.iter().any(|side| side.effort == Effort::Swept) {
            &statement::SWEPT
        } else if self.sides.iter().any(|side| side.effort == Effort::Content) {
            &statement::ALMOST_PERIODIC
        } else {
            &statement::CONTOUR
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::mechanism::Composition;
    use crate::pair::Product;

    /// Two lines that enclose different numbers: the first set is too wide to end with, the second does not meet it.
    #[test]
    fn lines_that_do_not_meet_are_an_alarm() {
        let composition: Composition = "gaussian(sigma=1)^2".parse().expect("a composition");
        let product = Product::new(composition.pairs().expect("pairs"));
        let engine = Quadrature::of(&product).expect("an engine");
        let budget = Budget::default();
        let value = |step: u32| {
            let low = Cell::new(0_u32);
            engine.sides[0].value(None, (1.0, &Real::one()), 32, &budget, &|_, _| {
                low.set(low.get() + step);
                let at = |n: u32| Enclosure::integer(&Integer::from(n), 64);
                Ok(at(low.get()).hull(&at(low.get() + 1)))
            })
        };
        assert!(value(2).is_err_and(|error| error.is_alarm()));
        assert!(value(0).is_ok());
    }
}
