//! How far the finite losses go, to one side.

use rug::Rational;

use enclosure::Real;

/// The supremum of the finite losses, or their infimum.
#[derive(Clone, Debug)]
pub enum Reach {
    /// It is this loss.
    To(Real),
    /// There are losses beyond every number.
    Unbounded,
    /// It was not told.
    Unknown,
}

impl Reach {
    /// The reach of independent losses that are added: suprema add up, and an unbounded one leaves no bound to the sum,
    /// whatever the others are (each of them has some loss).
    pub fn sum(parts: impl IntoIterator<Item = (Reach, u64)>) -> Reach {
        parts.into_iter().fold(Reach::To(Real::zero()), |sum, (part, times)| match (sum, part) {
            (Reach::Unbounded, _) | (_, Reach::Unbounded) => Reach::Unbounded,
            (Reach::Unknown, _) | (_, Reach::Unknown) => Reach::Unknown,
            (Reach::To(sum), Reach::To(part)) => Reach::To(sum.add(&part.mul_rational(&Rational::from(times)))),
        })
    }

    /// The other end of the mirrored losses.
    #[must_use]
    pub fn mirrored(self) -> Reach {
        match self {
            Reach::To(loss) => Reach::To(loss.neg()),
            other => other,
        }
    }

    /// The loss, where it is one and known.
    pub fn known(self) -> Option<Real> {
        match self {
            Reach::To(loss) => Some(loss),
            Reach::Unbounded | Reach::Unknown => None,
        }
    }
}

impl From<Option<Real>> for Reach {
    /// A loss that could not be computed is unknown.
    fn from(loss: Option<Real>) -> Self {
        loss.map_or(Reach::Unknown, Reach::To)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not known of one part is only made up for by a part without bound.
    #[test]
    fn sums() {
        let (two, far, dark) = (Reach::To(Real::from(2)), Reach::Unbounded, Reach::Unknown);
        let sum = |parts: &[(&Reach, u64)]| Reach::sum(parts.iter().map(|(part, times)| ((*part).clone(), *times)));
        assert_eq!(
            sum(&[(&two, 3), (&two, 1)]).known().and_then(|loss| loss.as_rational().cloned()),
            Some(Rational::from(8))
        );
        assert!(matches!(sum(&[(&two, 3), (&dark, 1)]), Reach::Unknown));
        assert!(matches!(sum(&[(&dark, 1), (&far, 1)]), Reach::Unbounded));
        assert!(matches!(sum(&[(&far, 1), (&dark, 1), (&two, 1)]), Reach::Unbounded));
    }
}
