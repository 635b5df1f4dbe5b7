//! The regimes that break accountants, explained once.

/// A regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// Nothing extreme.
    Ordinary,
    /// Delta so small that absolute errors hide it.
    TinyDelta,
    /// The answer lies below the smallest double.
    Underflow,
    /// Epsilon so large that its exponential overflows or swamps.
    HugeEpsilon,
    /// Epsilon so small that 1 - e^epsilon cancels.
    TinyEpsilon,
    /// A thousand compositions or more.
    ManyCompositions,
    /// The formula as usually written subtracts nearly equal numbers.
    Cancellation,
    /// The point lies exactly on a knot of a piecewise curve.
    OnKnot,
    /// The point lies just beside a knot.
    BesideKnot,
    /// Delta within rounding of 1.
    DeltaNearOne,
    /// Type I error near 0.
    SmallAlpha,
    /// Type I error near 1.
    AlphaNearOne,
    /// Noise so small that the discreteness of the mechanism, or saturation, decides.
    SmallNoise,
    /// Noise so large that almost nothing leaks.
    LargeNoise,
    /// A sampling rate so small that `1 - p + p e^x` cancels.
    SmallRate,
    /// A sampling rate of a millionth or less.
    TinyRate,
    /// A sampling rate close to 1 in double precision.
    RateNearOne,
    /// A mechanism is run on a sample.
    Subsampled,
    /// The answer is a short fraction: nothing but that is right.
    ExactRational,
    /// All parameters are doubles, so that plain floating point can be judged at the very same point.
    DoubleParameters,
    /// The two directions differ.
    Asymmetric,
    /// A boundary of the domain: zero, one, no composition, no noise needed.
    Edge,
    /// The answer is infinite.
    Infinite,
    /// Mechanisms with different parameters are composed.
    Heterogeneous,
    /// Mechanisms of different kinds are composed.
    Mixed,
    /// Some of the loss has a density, some of it atoms.
    AtomsAndDensity,
    /// One point of a curve that is asked from end to end.
    WholeCurve,
    /// A budget of the 2020 census of the United States.
    Census,
    /// The value is printed in a paper.
    Published,
    /// Fewer digits are known than of other golden numbers.
    FewDigits,
}

impl Flag {
    /// All of them.
    pub const ALL: [Flag; 22] = [
        Flag::Ordinary,
        Flag::TinyDelta,
        Flag::Underflow,
        Flag::HugeEpsilon,
        Flag::TinyEpsilon,
        Flag::ManyCompositions,
        Flag::Cancellation,
        Flag::OnKnot,
        Flag::BesideKnot,
        Flag::DeltaNearOne,
        Flag::SmallAlpha,
        Flag::AlphaNearOne,
        Flag::SmallNoise,
        Flag::LargeNoise,
        Flag::SmallRate,
        Flag::ExactRational,
        Flag::DoubleParameters,
        Flag::Asymmetric,
        Flag::Edge,
        Flag::Infinite,
        Flag::Heterogeneous,
        Flag::Published,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    /// Its meaning, for the dictionary of a file.
    pub fn meaning(self) -> &'static str {
        self.entry().1
    }

    fn entry(self) -> (&'static str, &'static str) {
        match self {
            Flag::Ordinary => ("ORDINARY", "No extreme values; a wrong answer indicates a wrong formula."),
            Flag::TinyDelta => ("TINY_DELTA", "Delta far below 1e-12, hidden by absolute tolerances and FFT noise."),
            Flag::Underflow => {
                ("UNDERFLOW", "The answer is below the smallest positive double; 0 is not an upper bound.")
            }
            Flag::HugeEpsilon => ("HUGE_EPSILON", "e^epsilon overflows or dominates the terms it is subtracted from."),
            Flag::TinyEpsilon => {
                ("TINY_EPSILON", "e^epsilon rounds to 1, so differences such as e^epsilon - 1 cancel.")
            }
            Flag::ManyCompositions => {
                ("MANY_COMPOSITIONS", "At least 1000 compositions: binomials overflow and errors accumulate.")
            }
            Flag::Cancellation => ("CANCELLATION", "The textbook formula subtracts nearly equal numbers."),
            Flag::OnKnot => ("ON_KNOT", "The point lies exactly on a knot, where two branches of a formula meet."),
            Flag::BesideKnot => {
                ("BESIDE_KNOT", "The point lies next to a knot, where the wrong branch is easily taken.")
            }
            Flag::DeltaNearOne => ("DELTA_NEAR_ONE", "Delta is near 1, so its complement must be accurate."),
            Flag::SmallAlpha => ("SMALL_ALPHA", "The type I error is near 0, where trade-off functions are steep."),
            Flag::AlphaNearOne => ("ALPHA_NEAR_ONE", "The type I error is near 1, where 1 - alpha must be exact."),
            Flag::SmallNoise => {
                ("SMALL_NOISE", "Noise so small that the mechanism saturates or its lattice dominates.")
            }
            Flag::LargeNoise => {
                ("LARGE_NOISE", "Noise so large that the privacy loss is almost zero and differences cancel.")
            }
            Flag::SmallRate => ("SMALL_RATE", "Sampling rate at most 1e-3: 1 - p + p e^x rounds to 1 and p is lost."),
            Flag::TinyRate => (
                "TINY_RATE",
                "Sampling rate at most 1e-6: the total privacy loss grows with its square, below rounding errors.",
            ),
            Flag::RateNearOne => (
                "RATE_NEAR_ONE",
                "Sampling rate near 1, where 1 - p must be exact: it bounds the privacy loss of adding a record.",
            ),
            Flag::Subsampled => ("SUBSAMPLED", "Poisson subsampling: the privacy loss is ln(1 - p + p e^l)."),
            Flag::ExactRational => ("EXACT_RATIONAL", "The answer is exactly the given fraction."),
            Flag::DoubleParameters => (
                "DOUBLE_PARAMETERS",
                "All parameters are doubles, so floating-point programs can evaluate exactly the same query.",
            ),
            Flag::Asymmetric => ("ASYMMETRIC", "The two directions differ; the wrong one gives a different value."),
            Flag::Edge => ("EDGE", "A boundary of the domain, such as 0, 1 or an empty composition."),
            Flag::Infinite => ("INFINITE", "The answer is infinite; no finite number is an upper bound."),
            Flag::Heterogeneous => ("HETEROGENEOUS", "Mechanisms with different parameters are composed."),
            Flag::Mixed => {
                ("MIXED", "A composition of different kinds of mechanisms, which no formula for one kind covers.")
            }
            Flag::AtomsAndDensity => {
                ("ATOMS_AND_DENSITY", "The privacy loss has atoms and a density; both must be included.")
            }
            Flag::WholeCurve => ("WHOLE_CURVE", "One point of a curve that is evaluated from end to end."),
            Flag::Census => {
                ("CENSUS", "A budget of the 2020 census: dozens of discrete Gaussians with many-digit variances.")
            }
            Flag::Published => ("PUBLISHED", "A value printed in a paper, to more digits."),
            Flag::FewDigits => (
                "FEW_DIGITS",
                "Known to fewer digits than usual, typically 6 to 10; a claim closer to the true value is undecided.",
            ),
        }
    }
}
