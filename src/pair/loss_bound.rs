//! The range of the finite losses, on one side.

use rug::Rational;

use enclosure::Real;

/// The supremum of the finite losses, or their infimum.
#[derive(Clone, Debug)]
pub enum LossBound {
    /// It is this loss.
    At(Real),
    /// There are losses beyond every number.
    Unbounded,
    /// It is unknown.
    Unknown,
}

impl LossBound {
    /// The bound of independent losses that are added: suprema add up, and an unbounded one leaves no bound to the sum,
    /// whatever the others are (each of them has some loss).
    pub fn sum(parts: impl IntoIterator<Item = (LossBound, u64)>) -> LossBound {
        parts.into_iter().fold(LossBound::At(Real::zero()), |sum, (part, times)| match (sum, part) {
            (LossBound::Unbounded, _) | (_, LossBound::Unbounded) => LossBound::Unbounded,
            (LossBound::Unknown, _) | (_, LossBound::Unknown) => LossBound::Unknown,
            (LossBound::At(sum), LossBound::At(part)) => {
                LossBound::At(sum.add(&part.mul_rational(&Rational::from(times))))
            }
        })
    }

    /// The other end of the losses negated.
    #[must_use]
    pub fn reversed(self) -> LossBound {
        match self {
            LossBound::At(loss) => LossBound::At(loss.neg()),
            other => other,
        }
    }

    /// The loss, where it is one and known.
    pub fn known(self) -> Option<Real> {
        match self {
            LossBound::At(loss) => Some(loss),
            LossBound::Unbounded | LossBound::Unknown => None,
        }
    }
}

impl From<Option<Real>> for LossBound {
    /// A loss that could not be computed is unknown.
    fn from(loss: Option<Real>) -> Self {
        loss.map_or(LossBound::Unknown, LossBound::At)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not known of one part is only made up for by a part without bound.
    #[test]
    fn sums() {
        let (two, far, dark) = (LossBound::At(Real::from(2)), LossBound::Unbounded, LossBound::Unknown);
        let sum =
            |parts: &[(&LossBound, u64)]| LossBound::sum(parts.iter().map(|(part, times)| ((*part).clone(), *times)));
        assert_eq!(
            sum(&[(&two, 3), (&two, 1)]).known().and_then(|loss| loss.as_rational().cloned()),
            Some(Rational::from(8))
        );
        assert!(matches!(sum(&[(&two, 3), (&dark, 1)]), LossBound::Unknown));
        assert!(matches!(sum(&[(&dark, 1), (&far, 1)]), LossBound::Unbounded));
        assert!(matches!(sum(&[(&far, 1), (&dark, 1), (&two, 1)]), LossBound::Unbounded));
    }
}
