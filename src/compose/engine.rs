//! The table of engines: the name and the requirements of each.

use super::choose::Refusal;
use super::switches;

/// The engines, those for any number of digits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The theorem for worst (epsilon, delta) pairs, by whichever of its algorithms is best.
    Optimal,
    /// Sums of equal discrete Gaussians.
    Sums,
    /// Closed forms, alone or beside finitely many losses.
    Closed,
    /// All losses with their masses.
    Lattice,
    /// All sums of losses, in two sorted halves.
    Enumeration,
    /// Two samples of Gaussian noise, by a double integral.
    TwoSamples,
    /// An integral over the loss of one Laplace mechanism.
    Integral,
    /// Listed losses beside one closed form.
    Beside,
    /// Listed losses, but for a bounded mass.
    Listed,
    /// Listed losses beside several Laplace mechanisms.
    BesideMany,
    /// Polynomials between the knots of a density.
    BetweenKnots,
    /// The trapezoid rule on a shifted contour.
    Contour,
    /// The trapezoid rule on another contour.
    SecondContour,
    /// Losses rounded to a common grid.
    Grid,
    /// A contour along which the integrand does not decay.
    AlmostPeriodic,
    /// A contour whose nodes are all evaluated up to a limit.
    Swept,
    /// Nodes in a row between a minorant and a majorant.
    Majorized,
    /// Polygons around trade-off functions.
    Polygons,
    /// Samples of Gaussian noise, split into large and small steps.
    LargeSteps,
    /// Samples of discrete noise by their large privacy losses.
    LargeLosses,
    /// Chernoff's bound, and the mass at infinity.
    Chernoff,
}

/// Engines for listed losses, and for integrals over the loss of one mechanism: the first that supports a product
/// answers for it.
pub(super) const LISTS: &[Engine] =
    &[Engine::TwoSamples, Engine::Integral, Engine::Beside, Engine::Listed, Engine::BesideMany, Engine::BetweenKnots];

impl Engine {
    /// All of them, in order.
    pub(super) const ALL: [Engine; 21] = [
        Engine::Optimal,
        Engine::Sums,
        Engine::Closed,
        Engine::Lattice,
        Engine::Enumeration,
        Engine::TwoSamples,
        Engine::Integral,
        Engine::Beside,
        Engine::Listed,
        Engine::BesideMany,
        Engine::BetweenKnots,
        Engine::Contour,
        Engine::SecondContour,
        Engine::Grid,
        Engine::AlmostPeriodic,
        Engine::Swept,
        Engine::Majorized,
        Engine::Polygons,
        Engine::LargeSteps,
        Engine::LargeLosses,
        Engine::Chernoff,
    ];

    /// The name in notes, and of the switch that turns the engine off.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Optimal => "optimal",
            Engine::Sums => "sums",
            Engine::Closed => "closed",
            Engine::Lattice => "lattice",
            Engine::Enumeration => "enumeration",
            Engine::TwoSamples => "two-samples",
            Engine::Integral => "integral",
            Engine::Beside => "beside",
            Engine::Listed => "listed",
            Engine::BesideMany => "beside-many",
            Engine::BetweenKnots => "between-knots",
            Engine::Contour | Engine::SecondContour => "contour",
            Engine::Grid => "grid",
            Engine::AlmostPeriodic => "almost-periodic",
            Engine::Swept => "swept",
            Engine::Majorized => "majorized",
            Engine::Polygons => "polygons",
            Engine::LargeSteps => "large-steps",
            Engine::LargeLosses => "large-losses",
            Engine::Chernoff => "chernoff",
        }
    }

    /// The mechanisms that the engine supports, for a query that selects it by name.
    pub(super) fn needs(self) -> &'static str {
        match self {
            Engine::Lattice => "mechanisms whose privacy losses are integer multiples of a common unit",
            Engine::Enumeration => "mechanisms with finitely many privacy losses",
            Engine::Contour | Engine::SecondContour => {
                "mechanisms whose privacy loss has a known moment generating function"
            }
            Engine::Grid => "mechanisms whose privacy losses can be rounded to a grid",
            _ => {
                "Gaussian mechanisms only, (epsilon, delta) mechanisms only, one geometric or shuffled mechanism run \
                 once, or Laplace mechanisms or one sample of one, alone or with mechanisms of finitely many privacy \
                 losses"
            }
        }
    }

    /// Refuse every product if the engine is turned off.
    pub(super) fn on(self) -> Result<(), Refusal> {
        if switches::is_off(self.name()) { Err(Refusal::OtherKind) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_engine_at_its_place() {
        for (place, engine) in Engine::ALL.into_iter().enumerate() {
            assert_eq!(engine as usize, place, "{engine:?}");
        }
        assert_eq!(Engine::ALL.last(), Some(&Engine::Chernoff));
    }
}
