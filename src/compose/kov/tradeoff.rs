//! The trade-off function: the segment of a type I error, and the line over it.

use std::cmp::Ordering;

use rug::Rational;

use super::{Kov, Tails, above, below, middle};
use crate::error::Error;
use enclosure::{Budget, Enclosure, Number};

/// A type I error of the randomised responses alone, in (0, 1), and the half of their function that is asked.
struct Point<'a> {
    kov: &'a Kov,
    /// Left of the fixed point, by the vertices `(B_j, 1 - A_j)`; right of it by `(1 - A_i, B_i)`.
    left: bool,
    alpha: &'a Number,
    /// `1 - alpha`.
    rest: &'a Number,
    work: u32,
    budget: &'a Budget,
}

impl Kov {
    /// The trade-off function of the randomised responses at `alpha` in (0, 1), with `rest = 1 - alpha`.
    ///
    /// `f(alpha) = (1 - A_{j+1}) + x^(k-2j) (B_{j+1} - alpha)` for `B_j <= alpha <= B_{j+1}`, left of the fixed point,
    /// and by symmetry `f(alpha) = B_i + x^(2i-k) (1 - alpha - A_i)` for `A_i <= 1 - alpha <= A_{i+1}`, right of it:
    /// sums of two numbers that are not negative.
    pub(in crate::compose) fn tradeoff(
        &self,
        alpha: &Number,
        rest: &Number,
        bits: u32,
        budget: &Budget,
    ) -> Result<Number, Error> {
        let work = bits.saturating_add(self.loss_bits()).saturating_add(self.fineness()).saturating_add(40);
        let (left, j) = self.first_vertex(alpha, rest, budget)?;
        let point = Point { kov: self, left, alpha, rest, work, budget };
        let found = match alpha.exact().filter(|_| self.exactly(0, budget)) {
            Some(alpha) => point.exact(alpha, j)?.map(Number::Exact),
            None => point.enclosed(j)?.map(Number::Enclosed),
        };
        Ok(found.unwrap_or_else(|| Number::Enclosed(point.anything())))
    }

    /// Is the point on the left half? And about the first vertex at or beyond it, `j + 1` or `i + 1`; at most `k/2 + 1`
    /// by the choice of the half.
    fn first_vertex(&self, alpha: &Number, rest: &Number, budget: &Budget) -> Result<(bool, u64), Error> {
        let (alpha, rest) = (middle(&alpha.enclosure(64)), middle(&rest.enclosure(64)));
        let last = self.times / 2 + 1;
        let at_left = self.bisect(0, last + 1, |j| Ok(middle(&self.tails(j, 64, budget)?.b) >= alpha))?;
        if at_left <= last {
            return Ok((true, at_left));
        }
        // A_j >= 1 - alpha, asked of whichever of both is small: next to one they cannot be told apart.
        let at_right = self.bisect(0, last, |j| {
            let tails = self.tails(j, 64, budget)?;
            Ok(if alpha < rest { middle(&tails.rest) <= alpha } else { middle(&tails.a) >= rest })
        })?;
        Ok((false, at_right))
    }
}

impl Point<'_> {
    /// What is certain of every trade-off function.
    fn anything(&self) -> Enclosure {
        Enclosure::zero(self.work).hull(&self.rest.enclosure(self.work))
    }

    /// In fractions, from the vertex j on; `None` if the segment was not found.
    fn exact(&self, alpha: &Rational, mut j: u64) -> Result<Option<Rational>, Error> {
        let rest = Rational::from(1 - alpha);
        let place = if self.left { alpha } else { &rest };
        let tails = |j| -> Result<_, Error> {
            let (p, q, whole) = self.kov.exact_tails(j, self.budget)?;
            Ok((Rational::from((p, whole.clone())), Rational::from((q, whole))))
        };
        for _ in 0..6 {
            let ((a0, b0), (a1, b1)) = (tails(j - 1)?, tails(j)?);
            let (low, high) = if self.left { (&b0, &b1) } else { (&a0, &a1) };
            if place < low && j > 1 {
                j -= 1;
            } else if place > high && j <= self.kov.times {
                j += 1;
            } else {
                // A vertex and the next give the line; between them it is the function.
                let share = Rational::from(place - low) / Rational::from(high - low);
                return Ok(Some(if self.left {
                    Rational::from(1 - &a0) - Rational::from(&a1 - &a0) * share
                } else {
                    &b0 + Rational::from(&b1 - &b0) * share
                }));
            }
        }
        Ok(None)
    }

    /// The same in enclosures.
    fn enclosed(&self, mut j: u64) -> Result<Option<Enclosure>, Error> {
        for _ in 0..6 {
            let line = self.line(j)?;
            let (low, high) = (self.against(j - 1)?, self.against(j)?);
            if above(low) && below(high) {
                return Ok(Some(line));
            }
            if below(low) && j > 1 {
                j -= 1;
            } else if above(high) && j <= self.kov.times / 2 + 1 {
                j += 1;
            } else {
                return self.at_vertex(j, &line, (low, high)).map(Some);
            }
        }
        Ok(None)
    }

    /// On a vertex of segment j, as far as the orders at both of them tell: the function is the larger of the lines
    /// that meet there, if the point is certainly not beyond the second one's other end.
    fn at_vertex(
        &self,
        j: u64,
        line: &Enclosure,
        (low, high): (Option<Ordering>, Option<Ordering>),
    ) -> Result<Enclosure, Error> {
        let upwards = above(low) || j == 1;
        let line = line.max(&self.line(if upwards { j + 1 } else { j - 1 })?);
        let inside = if upwards { below(self.against(j + 1)?) } else { below(high) && above(self.against(j - 2)?) };
        Ok(if inside { line } else { line.max(&Enclosure::zero(self.work)).hull(&self.rest.enclosure(self.work)) })
    }

    /// The order of the point and a vertex.
    fn against(&self, j: u64) -> Result<Option<Ordering>, Error> {
        let Tails { a, b, .. } = self.kov.tails(j, self.work, self.budget)?;
        Ok(if self.left {
            self.alpha.enclosure(self.work).compare(&b)
        } else {
            self.rest.enclosure(self.work).compare(&a)
        })
    }

    /// The line of segment j at the point.
    fn line(&self, j: u64) -> Result<Enclosure, Error> {
        if self.left { self.left_line(j) } else { self.right_line(j) }
    }

    /// The line through the vertices `j-1` and `j` at `alpha`: `(1 - A_j) + x^(k-2(j-1)) (B_j - alpha)`.
    fn left_line(&self, j: u64) -> Result<Enclosure, Error> {
        let tails = self.kov.tails(j, self.work, self.budget)?;
        let slope = self.kov.loss(j - 1, self.work + self.kov.loss_bits()).exp();
        Ok(&tails.rest + &(&slope * &(&tails.b - &self.alpha.enclosure(self.work))))
    }

    /// The reflected line: `B_i + x^(2i-k) (rest - A_i)` with `i = j-1`.
    fn right_line(&self, j: u64) -> Result<Enclosure, Error> {
        let tails = self.kov.tails(j - 1, self.work, self.budget)?;
        let slope = (-&self.kov.loss(j - 1, self.work + self.kov.loss_bits())).exp();
        Ok(&tails.b + &(&slope * &(&self.rest.enclosure(self.work) - &tails.a)))
    }
}
