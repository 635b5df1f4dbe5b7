//! What a number rests on: the statement that its engine evaluates, said once for all who print or store it.

use std::fmt;

/// A statement: where it is from, what it says, and where it is proven that the engine evaluates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    citation: &'static str,
    meaning: &'static str,
    page: &'static str,
}

impl Statement {
    /// As it is printed, and stored beside golden values, which never change: the citation is the key.
    pub fn citation(&self) -> &'static str {
        self.citation
    }

    /// What it says.
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// The page that proves it of the engine, in `proofs/paper/`.
    pub fn page(&self) -> &'static str {
        self.page
    }

    /// The statement of this very citation.
    #[cfg(feature = "cli")]
    #[cfg(any(test, feature = "generate"))]
    pub(crate) fn cited(citation: &str) -> Option<&'static Statement> {
        ALL.iter().copied().find(|statement| statement.citation == citation)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.citation)
    }
}

const OPTIMAL_COMPOSITION: &str = "The composition of (epsilon_i, delta_i) mechanisms is (epsilon, delta)-private \
                                   exactly for delta >= 1 - prod(1-delta_i) \
     [1 - prod 1/(1+e^epsilon_i) sum_S (e^(sum of epsilon_i in S) - e^(epsilon + sum of the others))_+].";
const MOST_POWERFUL_TEST: &str =
    "The most powerful test accepts by likelihood ratio: tails of the composed loss give the curve.";

/// Equal (epsilon, delta) mechanisms, composed optimally.
pub static EQUAL_MECHANISMS: Statement = Statement {
    citation: "Kairouz, Oh, Viswanath, Theorem 3.3; Murtagh, Vadhan, Theorem 1.4",
    meaning: OPTIMAL_COMPOSITION,
    page: "kov.md",
};

/// Different (epsilon, delta) mechanisms, composed optimally.
pub static DIFFERENT_MECHANISMS: Statement =
    Statement { citation: "Murtagh, Vadhan, Theorem 1.5", meaning: OPTIMAL_COMPOSITION, page: "heterogeneous.md" };

/// Gaussian noise.
pub static GAUSSIAN: Statement = Statement {
    citation: "Dong-Roth-Su, Corollary 2.13 (profile), Section 2.2 (trade-off function), Corollary 3.3 (composition)",
    meaning: "delta(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2), and mu^2 adds under \
              composition.",
    page: "gaussian.md",
};

/// The KL divergence of the antipodal replacement.
pub static ANTIPODAL: Statement = Statement {
    citation: "Dwork, Rothblum 2016, Lemmas 3.9 and 3.10; proofs/paper/antipodal.md",
    meaning: "The antipodal replacement (M, N) of (P, Q) has KL(M||N) = KL(N||M) = epsilon TV(P, Q), epsilon the \
              largest |ln(dP/dQ)|, and no smaller divergences than (P, Q).",
    page: "antipodal.md",
};

/// Concentrated privacy.
pub static CONCENTRATION: Statement = Statement {
    citation: "Dwork, Rothblum 2016, Definition 2.5; Bun, Steinke 2016, Definition 1.1; proofs/paper/concentration.md",
    meaning: "With K(t) = ln E e^(tL) the squared subgaussian standard is the supremum of 2 (K(t) - t E L)/t^2 over \
              all real t, and the least rho of zCDP that of K(t)/(t (1+t)) over t > 0.",
    page: "concentration.md",
};

/// The rho of discrete Gaussian noise.
pub static RHO_FALLS: Statement = Statement {
    citation: "the rho of discrete Gaussian noise falls with sigma2 (Canonne, Kamath, Steinke 2020); \
               proofs/paper/concentration.md",
    meaning: "The least rho of discrete Gaussian noise is sensitivity^2/(2 sigma2), and the least rhos of Gaussian and \
              discrete Gaussian noise and of their Poisson samples add up.",
    page: "concentration.md",
};

/// The distribution of the privacy loss.
pub static LOSS_DISTRIBUTION: Statement = Statement {
    citation: "Neyman-Pearson lemma: the slope of the profile is the mass of a tail; proofs/paper/loss-distribution.md",
    meaning: "As a function of x = e^epsilon, delta has the right derivative -Q[L > epsilon] and the left derivative \
              -Q[L >= epsilon], and P[L > epsilon] = delta(epsilon) + e^epsilon Q[L > epsilon].",
    page: "loss-distribution.md",
};

/// Laplace noise.
pub static LAPLACE: Statement = Statement {
    citation: "Dong-Roth-Su, trade-off function of Laplace noise; composed by Theorem 3.2",
    meaning: "The profile is the hockey-stick divergence of the composed loss, which has atoms and a piecewise \
              density.",
    page: "laplace.md",
};

/// Discrete Gaussian noise.
pub static DISCRETE_GAUSSIAN: Statement = Statement {
    citation: "Canonne, Kamath, Steinke 2020, Theorem 7 (exact profile), for sums; proofs/paper/discrete-gaussian.md",
    meaning: "delta(epsilon) = P[S > epsilon sigma^2/D - nD/2] - e^epsilon P[S > epsilon sigma^2/D + nD/2], S a sum \
              of n discrete Gaussians.",
    page: "discrete-gaussian.md",
};

/// Finite pairs, their products outcome by outcome.
pub static FINITE_PAIRS: Statement = Statement {
    citation: "Neyman-Pearson lemma for the product pair (Dong-Roth-Su, Definition 3.1)",
    meaning: MOST_POWERFUL_TEST,
    page: "finite-pairs.md",
};

/// Losses on a lattice.
pub static LATTICE: Statement = Statement {
    citation: "Neyman-Pearson on the exact distribution of the composed loss",
    meaning: MOST_POWERFUL_TEST,
    page: "lattice-convolution.md",
};

/// Finitely many losses without a lattice.
pub static ENUMERATION: Statement = Statement {
    citation: "Neyman-Pearson on all sums of finitely many losses; proofs/paper/enumeration.md",
    meaning: MOST_POWERFUL_TEST,
    page: "enumeration.md",
};

/// Geometric noise, run once.
pub static GEOMETRIC: Statement = Statement {
    citation: "Neyman-Pearson on the cumulative masses of geometric noise; proofs/paper/geometric.md",
    meaning: "The profile is the largest advantage of a test \"at most J\", each a sum of three geometric terms.",
    page: "geometric.md",
};

/// Staircase noise, run once.
pub static STAIRCASE: Statement = Statement {
    citation: "Neyman-Pearson on the cumulative masses of staircase noise; proofs/paper/staircase.md",
    meaning: "The profile is the largest advantage of a test \"below the k-th place where the loss falls\".",
    page: "staircase.md",
};

/// Geometric or staircase noise, run a few times.
pub static STAIRCASES: Statement = Statement {
    citation: "Coefficients of the rational generating function of the losses; proofs/paper/staircases.md",
    meaning: "The masses of the losses above a place of the lattice are a sum of k^2 terms, binomial coefficients \
              times powers, whatever the sensitivity is.",
    page: "staircases.md",
};

/// Moment generating functions on a vertical contour.
pub static CONTOUR: Statement = Statement {
    citation: "Poisson summation of the tilted profile; proofs/paper/quadrature.md",
    meaning: "A sum of the composed moment generating function at equidistant points of a line is the profile and \
              its translates \
              by the period, weighed by an exponential that makes the translates small.",
    page: "quadrature.md",
};

/// The same where the integrand never decays.
pub static ALMOST_PERIODIC: Statement = Statement {
    citation: "Poisson summation of the tilted profile, and hats of positive definite functions; \
               proofs/paper/almost-periodic.md",
    meaning: "A sum of the composed moment generating function at equidistant points of a line is the profile, but for \
              small terms; and beyond those that are looked at its modulus is on average no larger than among them.",
    page: "almost-periodic.md",
};

/// The same, all nodes.
pub static SWEPT: Statement = Statement {
    citation: "Poisson summation of the tilted profile, hats of positive definite functions, and minorants and \
               majorants of exponential type; proofs/paper/swept.md",
    meaning: "A sum of the composed moment generating function at equidistant points of a line is the profile, but for \
              small terms; all points up to one are summed, and what lies beyond is on average no larger than \
              before, or is not wanted by a minorant and a majorant.",
    page: "swept.md",
};

/// One Poisson sample.
pub static SAMPLE: Statement = Statement {
    citation: "Balle, Barthe, Gaboardi 2018, Theorem 2 (advanced joint convexity); \
               proofs/paper/poisson-subsampling.md",
    meaning: "For P' = (1-p) Q + p P, H_x(P', Q) = p H_y(P, Q) with y = (x-1+p)/p, and backward (1 - (1-p)x) H_z(Q, \
              P) with \
              z = x p/(1 - (1-p)x).",
    page: "poisson-subsampling.md",
};

/// One factor listed, the others' profile at each of its outcomes.
pub static MIXTURE: Statement = Statement {
    citation: "the profile of a product, outcome by outcome of one factor; proofs/paper/mixture.md",
    meaning: "H_x of a product is the sum, over the outcomes o of one factor, of p(o) H of the other factor at x \
              q(o)/p(o).",
    page: "mixture.md",
};

/// Discrete losses, listed but for a bounded mass.
pub static LISTED: Statement = Statement {
    citation: "the profile of a product, outcome by outcome of what is listed of one factor; proofs/paper/listed.md",
    meaning: "H_x of a product is the sum, over the listed outcomes o of one factor, of p(o) H of the other factor at \
              x q(o)/p(o), and at most the mass that is not listed.",
    page: "listed.md",
};

/// Laplace noise beside one more law without atoms.
pub static INTEGRAL: Statement = Statement {
    citation: "the profile of a product as an integral over one loss, by Taylor polynomials; proofs/paper/integral.md",
    meaning: "H_x of a product is the integral, over the loss l of one factor, of H of the other factor at x e^-l.",
    page: "integral.md",
};

/// Two samples of Gaussian noise.
pub static TWO_SAMPLES: Statement = Statement {
    citation: "the profile of two samples by integrals along the boundary of the best test, by the rule of Gauss and \
               Legendre; proofs/paper/two-samples.md",
    meaning: "H_x(P, Q) is P(S) - x Q(S) for S = { dP/dQ > x }; for a product of two, S lies above a curve in a plane, \
              and its masses are integrals of normal tails along the curve.",
    page: "two-samples.md",
};

/// Samples of Laplace noise of one kind beside discrete losses.
pub static BETWEEN_KNOTS: Statement = Statement {
    citation: "polynomials between the knots of the geometric mean of both laws; proofs/paper/between-knots.md",
    meaning: "The profile of a product is a sum over outcomes of what is listed, of a function that is analytic \
              between neighbouring knots, where one more run is a linear operator on polynomials.",
    page: "between-knots.md",
};

/// Shuffled reports, run once.
pub static SHUFFLING: Statement = Statement {
    citation: "Neyman-Pearson on counts of clones (Feldman, McMillan, Talwar 2022, 2023); proofs/paper/shuffling.md",
    meaning: "The exact profile of the pair of counts; that it bounds every local mechanism's is the theorem on \
              clones, taken from the literature.",
    page: "shuffling.md",
};

/// Losses rounded to a grid.
pub static GRID: Statement = Statement {
    citation: "Jensen's inequality: rounding that keeps both masses never lowers a convex profile",
    meaning: "Splitting each loss between two neighbours so that its masses under both distributions are kept gives \
              a profile \
              that is nowhere below the true one, and above it by a proven excess.",
    page: "grid.md",
};

/// A sample of fixed size.
pub static FIXED_SIZE_SAMPLE: Statement = Statement {
    citation: "Dong, Roth, Su, Theorem 4.2 (subsampling); proofs/paper/operators.md",
    meaning: "C_p(f) = min(f_p, f_p^-1)** for symmetric f, f_p = p f + (1-p) Id: (ln(1 + p(e^epsilon - 1)), p delta) \
              for \
              each (epsilon, delta).",
    page: "operators.md",
};

/// Groups.
pub static GROUPS: Statement = Statement {
    citation: "Dong, Roth, Su, Theorem 2.14 (group privacy, f symmetric); proofs/paper/operators.md",
    meaning: "1 - (1-f)^(o k) bounds the ends of a chain of k neighbours, each two of which are bounded by f in the \
              order of the chain; of any chain of k neighbours where f = f^-1, as for the hull min(f, f^-1)** that \
              `group` takes.",
    page: "operators.md",
};

/// One of several mechanisms, drawn and told.
pub static REVEALED_MIXTURE: Statement = Statement {
    citation: "the hockey-stick divergence on disjoint outcomes; proofs/paper/operators.md",
    meaning: "H_x of the mixture with its index is sum w_i H_x(P_i, Q_i).",
    page: "operators.md",
};

/// Orders of a pair.
pub static OPERATORS: Statement = Statement {
    citation: "Dong, Roth, Su, Propositions 2.4 and 2.12 (inverse, symmetrisation, duality); proofs/paper/operators.md",
    meaning: "T(Q,P) = f^-1; the profile of min(f, f^-1)** is the larger one of both profiles.",
    page: "operators.md",
};

/// Which of two compositions is the more private.
#[cfg(feature = "cli")]
pub static ORDER: Statement = Statement {
    citation: "Dong, Roth, Su, Theorem 2.10 (Blackwell) and Proposition 2.12 (duality); proofs/paper/order.md",
    meaning: "f_A >= f_B everywhere exactly where H_x(A) <= H_x(B) for all x > 0, and exactly where what B shows can \
              be made into what A shows.",
    page: "order.md",
};

/// Renyi divergences.
pub static RENYI: Statement = Statement {
    citation: "definition of the Renyi divergence, additive under composition",
    meaning: "1/(g-1) ln sum p^g q^(1-g).",
    page: "divergences.md",
};

/// Kullback-Leibler divergences.
pub static KULLBACK_LEIBLER: Statement = Statement {
    citation: "definition of the Kullback-Leibler divergence, additive under composition",
    meaning: "sum p ln(p/q).",
    page: "divergences.md",
};

/// Chi-squared divergences.
pub static CHI_SQUARED: Statement = Statement {
    citation: "definition of the chi-squared divergence, 1 + chi^2 multiplicative under composition",
    meaning: "sum p^2/q - 1.",
    page: "divergences.md",
};

/// Max divergences.
pub static MAX_DIVERGENCE: Statement = Statement {
    citation: "definition of the max divergence, additive under composition",
    meaning: "ln sup p/q.",
    page: "divergences.md",
};

/// Compositions between those of polygons.
pub static POLYGONS: Statement = Statement {
    citation: "convexity of trade-off functions, and their order, which composition keeps (Dong, Roth, Su, Theorem \
               2.10 and Definition 3.1); proofs/paper/polygons.md",
    meaning: "f' <= f <= f'' gives f' (x) g <= f (x) g <= f'' (x) g, with f'' the polygon through points of f, and f' \
              that of lines that are nearly tangents.",
    page: "polygons.md",
};

/// Nodes in a row, between a minorant and a majorant.
pub static EXTREMAL: Statement = Statement {
    citation: "minorants and majorants of exponential type of truncated exponentials, after Beurling, Selberg, Graham \
               and Vaaler; proofs/paper/extremal.md",
    meaning: "A sum of the composed moment generating function at n equidistant points of a line is at most the \
              profile, but for small terms, and another is at least that, whatever lies beyond them.",
    page: "extremal.md",
};

/// Small steps and large ones.
pub static LARGE_STEPS: Statement = Statement {
    citation: "a step of a sampled Gaussian as a sum of two measures, and Poisson summation for sums with large steps; \
               proofs/paper/large-steps.md",
    meaning: "(A + B)^k = A^k + sum_j C(k,j) A^(k-j) B^j, with A of small steps and B of large ones: delta is the sum \
              of what each of these measures gives, the first bounded and the others on a vertical line.",
    page: "large-steps.md",
};

/// Small losses and large ones.
pub static LARGE_LOSSES: Statement = Statement {
    citation: "one run of a sample of discrete noise as a sum of two measures, and the law of total probability; \
               proofs/paper/large-losses.md",
    meaning: "delta(epsilon) is the sum over the large losses l of some runs of their mass times what the other runs, \
              without large losses, have in delta(epsilon - l); few terms matter, and the others are bounded.",
    page: "large-losses.md",
};

/// From Renyi divergences to profiles.
pub static RENYI_CONVERSION: Statement = Statement {
    citation: "Canonne, Kamath, Steinke 2020, Proposition 12, at the best of some orders",
    meaning: "delta(epsilon) <= e^((a-1)(D - epsilon)) (1 - 1/a)^(a-1)/a for the Renyi divergence D of order a.",
    page: "answers.md",
};

/// What follows from moments.
pub static CHERNOFF: Statement = Statement {
    citation: "Chernoff's bound of the privacy loss; proofs/paper/answers.md",
    meaning: "a <= delta(epsilon) <= a + c M(t) e^(-t epsilon), c = t^t/(1+t)^(1+t), with a the mass at infinity and M \
              the moment generating function of the finite losses.",
    page: "answers.md",
};

/// The same of bounds of all orders at once.
pub static ALL_ORDERS: Statement = Statement {
    citation: "post-processing to two outcomes, which keep the bounds of all orders; proofs/paper/conversion.md",
    meaning: "The errors (alpha, beta) of any test of what has Renyi divergences of order 1 + t of at most m + c t, at \
              every t > 0, are those of two distributions on two outcomes that have.",
    page: "conversion.md",
};

/// The same at one order of many.
pub static GOOD_ORDER: Statement = Statement {
    citation: "post-processing to two outcomes, at a good order, or the standard conversion at the best one; \
               proofs/paper/conversion.md",
    meaning: "Any order bounds; the smaller of what two outcomes at one of them have, of delta(epsilon) <= \
              e^((a-1)(D - epsilon)) (1 - 1/a)^(a-1)/a, and of delta <= sqrt(KL/2).",
    page: "conversion.md",
};

/// What follows from finitely many promises of a guarantee.
pub static PROMISES: Statement = Statement {
    citation: "Dong, Roth, Su, Proposition 2.11 (promises) and Theorem 2.10 (Blackwell); proofs/paper/conversion.md",
    meaning: "What keeps a guarantee has delta(epsilon_i) <= d_i, and is a post-processing of a finite pair with the \
              trade-off function max_i f_{epsilon_i, d_i}; so is whatever is made of it.",
    page: "conversion.md",
};

/// What a bound of one Renyi divergence is worth.
pub static TWO_OUTCOMES: Statement = Statement {
    citation: "post-processing to two outcomes, which keep the bound themselves; proofs/paper/conversion.md",
    meaning: "The errors (alpha, beta) of any test of what has Renyi divergences of at most r are those of two \
              distributions on two outcomes with divergences of at most r.",
    page: "conversion.md",
};

/// What holds of every mechanism.
pub static ANY_MECHANISM: Statement = Statement {
    citation: "1 - e^epsilon <= delta(epsilon) <= 1",
    meaning: "The set of all outcomes shows the one bound, probabilities the other.",
    page: "answers.md",
};

/// What follows from moments of the parts of a composition.
pub static CUBES_OF_PARTS: Statement = Statement {
    citation: "Jensen and Cauchy-Schwarz; proofs/paper/answers.md",
    meaning: "E(Y^2)^(3/2) <= E |Y|^3 <= (E(Y^2) E(Y^4))^(1/2) for the privacy loss Y, or its distance from its mean, \
              whose cumulants are the sums of those of the parts.",
    page: "answers.md",
};

/// What follows from the ends of the losses.
pub static BOUNDED_LOSS: Statement = Statement {
    citation: "Kairouz, Oh, Viswanath, appendix A; Dong, Roth, Su, equation 3; proofs/paper/answers.md",
    meaning: "With no finite loss above L in either direction and a mass m beyond, a pair is (L, m)-DP, which bounds \
              its profile and its trade-off function.",
    page: "answers.md",
};

/// What follows from what the parts of a composition promise.
pub static PARTS_COMPOSED: Statement = Statement {
    citation: "Kairouz, Oh, Viswanath, Theorems 2.1 and 3.3, of the parts; proofs/paper/answers.md",
    meaning: "A composition of (epsilon_i, delta_i)-DP parts is a post-processing of the composition of the worst \
              mechanisms with these promises.",
    page: "answers.md",
};

/// What follows from Renyi divergences that are bounded at all orders.
pub static CONCENTRATED: Statement = Statement {
    citation: "Bun, Steinke 2016, Propositions 1.3 and 3.3; proofs/paper/answers.md",
    meaning: "With D_a <= c a at all orders a, which adds up over factors, epsilon is at most \
              c + 2 sqrt(c ln(1/delta)).",
    page: "answers.md",
};

/// Which values of a parameter are safe: those on one side of a number.
pub static MONOTONE: Statement = Statement {
    citation: "Post-processing never adds to a privacy loss (Blackwell 1953); proofs/paper/calibration.md",
    meaning: "Of two values of the parameter the more private one is the other one with something done to its outputs, \
              alone, in a Poisson sample and in any composition.",
    page: "calibration.md",
};

/// Which weights of a part of a mixture are safe.
pub static WEIGHED: Statement = Statement {
    citation: "With the index seen a mixture goes as the order of both parts (Blackwell 1953; Dong, Roth, Su 2022, \
               Theorem 2.10); proofs/paper/calibration.md",
    meaning: "Of the two parts that share the weight one is at least as private as the other, so that it can be made \
              of the other's output: with more of its weight the mixture is one of less with something done to its \
              outputs, alone, inside of operators and in any composition.",
    page: "calibration.md",
};

/// The same of a mixture that is run once and alone.
pub static LINEAR: Statement = Statement {
    citation: "With the index seen the profile of a mixture is linear in its weights; proofs/paper/calibration.md",
    meaning: "The delta of a mixture is the mean of those of its parts, so that it goes with a weight as the larger of \
              two deltas says.",
    page: "calibration.md",
};

/// From which value of the parameter of discrete Gaussian noise on all are safe.
pub static PEAKED: Statement = Statement {
    citation: "Likelihood ratios of sums of discrete Gaussian noise rise with their size, which bounds delta on \
               intervals; proofs/paper/calibration.md",
    meaning: "P(S >= k) and P(S >= k + m)/P(S >= k), k >= 1, do not fall as sigma2 grows, which bounds delta on \
              intervals of sigma2; above them all Renyi divergences do.",
    page: "calibration.md",
};

/// Which values of a parameter of a guarantee are safe.
pub static IMPLIED: Statement = Statement {
    citation: "What keeps a guarantee keeps every weaker one: what follows gets no better; proofs/paper/calibration.md",
    meaning: "Bounds from Renyi divergences grow with them, at each order and hence at the best.",
    page: "calibration.md",
};

/// The standard conversion, at the best of all orders.
pub static BEST_ORDER: Statement = Statement {
    citation: "Canonne, Kamath, Steinke 2020, Proposition 12, at the best order; proofs/paper/calibration.md",
    meaning: "delta(epsilon) <= e^((a-1)(D_a - epsilon)) (1 - 1/a)^(a-1)/a for the Renyi divergence D_a of any order \
              a, and delta(epsilon) <= sqrt(KL/2): both grow with all divergences.",
    page: "calibration.md",
};

/// From zCDP to epsilon.
#[cfg(feature = "cli")]
pub static ZCDP_CONVERSION: Statement = Statement {
    citation: "Canonne, Kamath, Steinke 2020, Corollary 13, at the best order; proofs/paper/census.md",
    meaning: "delta <= inf over a > 1 of e^((a-1)(a rho - epsilon))/(a-1) (1 - 1/a)^a for every rho-zCDP mechanism.",
    page: "census.md",
};

/// Noise that is exactly as private as a given trade-off function.
pub static CANONICAL_NOISE: Statement = Statement {
    citation: "Awan, Vadhan 2023, canonical noise distributions; proofs/paper/canonical-noise.md",
    meaning: "F is linear from c to 1 - c on [-1/2, 1/2], f(c) = c, and F(y) = 1 - f(F(y - 1)) beyond.",
    page: "canonical-noise.md",
};

/// The least mu of a Gaussian guarantee.
pub static GAUSSIAN_FIT: Statement = Statement {
    citation: "corners of a polygon of tangents, and profiles of Gaussians; proofs/paper/attack.md",
    meaning: "G_mu is below a polygon of tangents of f exactly if it is at the corners, and delta_mu is at least the \
              profile of f exactly if G_mu is below f.",
    page: "attack.md",
};

/// The best Gaussian guarantee of what keeps a guarantee.
pub static PROMISED_FIT: Statement = Statement {
    citation: "two outcomes at every order, and the concavity of z(e^(-s^2)) by Sampford 1953; proofs/paper/attack.md",
    meaning: "What is rho-zCDP is mu-GDP, mu = 2 z(e^(-s^2)) with e^(-s^2) + e^(-(s - sqrt(rho))^2) = 1; squares add \
              up, and no mu rises by samples, mixtures, inverses and hulls.",
    page: "attack.md",
};

/// Functionals of trade-off functions.
pub static FUNCTIONALS: Statement = Statement {
    citation: "Dong, Roth, Su, Section 3 and Proposition B.4 (functionals of a trade-off function), as averages over \
               the privacy loss; proofs/paper/moments.md",
    meaning: "-ln|f'(alpha)| is the loss at the threshold of type I error alpha, so that integrals of it over alpha \
              are averages of the loss; cumulants add under composition, and 1 - hellinger multiplies.",
    page: "moments.md",
};

/// Functions of private bits.
#[cfg(feature = "cli")]
pub static MULTIPARTY: Statement = Statement {
    citation: "Kairouz, Oh, Viswanath, Section 5 (multi-party computation); proofs/paper/multiparty.md",
    meaning: "One draw of randomised response of each party is the best protocol for every function and observer; the \
              best guess is the likeliest value.",
    page: "multiparty.md",
};

/// The accuracy of an answer with additive noise.
#[cfg(feature = "cli")]
pub static ADDITIVE_NOISE: Statement = Statement {
    citation: "moments and tails of the law of the noise; proofs/paper/additive-noise.md",
    meaning: "The error of the answer is the noise, whatever the query is: closed forms, and for discrete Gaussian \
              noise theta series with bounds of what is left out.",
    page: "additive-noise.md",
};

/// Bounds of long compositions on both sides.
#[cfg(feature = "cli")]
pub static BERRY_ESSEEN: Statement = Statement {
    citation: "Dong-Roth-Su, Theorem 3.4; proofs/paper/limit-theorems.md",
    meaning: "G_mu(alpha + gamma) - gamma <= f(alpha) <= G_mu(alpha - gamma) + gamma, with mu = 2 sum kl/sqrt V and \
              gamma = 0.56 sum kappa_3-bar/V^(3/2) below 1/2.",
    page: "limit-theorems.md",
};

/// How far long compositions of one (epsilon, delta) mechanism are from their limit.
#[cfg(feature = "cli")]
pub static RATE: Statement = Statement {
    citation: "Dong-Roth-Su, Theorem 3.7, with a c that is proven; proofs/paper/limit-theorems.md",
    meaning: "G_mu(alpha + c/n) - c/n <= f(alpha) <= G_mu(alpha - c/n) + c/n for n runs of an epsilon-DP mechanism, \
              with mu = epsilon sqrt(n) and c/n below 1/2.",
    page: "limit-theorems.md",
};

/// What long compositions tend to, with the mu that bounds their distance.
#[cfg(feature = "cli")]
pub static CENTRED_LIMIT: Statement = Statement {
    citation: "mu of Dong-Roth-Su, Theorem 3.4 (form centred); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of mechanisms that each leak little tend to G_mu, mu = 2 sum kl/sqrt(sum (kappa_2 - \
              kl^2)); what fails outright is apart.",
    page: "limit-theorems.md",
};

/// What long compositions tend to, as it is printed.
#[cfg(feature = "cli")]
pub static PRINTED_LIMIT: Statement = Statement {
    citation: "Dong-Roth-Su, Theorem 3.5; Su 2024, Section 3 (form printed); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of mechanisms that each leak little tend to G_mu, mu = 2 sum kl/sqrt(sum kappa_2); \
              what fails outright is apart.",
    page: "limit-theorems.md",
};

/// What long compositions of (epsilon, delta) mechanisms tend to.
#[cfg(feature = "cli")]
pub static WORST_LIMIT: Statement = Statement {
    citation: "Dong-Roth-Su, Theorem 3.6 (form worst); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of (epsilon_i, delta_i) mechanisms tend to G_mu, mu^2 = sum epsilon_i^2, that fails \
              outright with probability 1 - e^(-sum delta_i).",
    page: "limit-theorems.md",
};

/// What long compositions of Poisson samples tend to.
#[cfg(feature = "cli")]
pub static POISSON_LIMIT: Statement = Statement {
    citation: "Bu, Dong, Long, Su 2020 (form poisson); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of Poisson samples of small rates r tend to G_mu, mu^2 = sum r^2 chi^2.",
    page: "limit-theorems.md",
};

/// What long compositions of samples of a fixed size tend to.
#[cfg(feature = "cli")]
pub static UNIFORM_LIMIT: Statement = Statement {
    citation: "Dong-Roth-Su, Theorem 5.2 (form uniform); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of samples of a fixed size, of small shares r, tend to G_mu, mu^2 = 2 sum r^2 chi^2_+.",
    page: "limit-theorems.md",
};

/// What long compositions of Poisson samples and other mechanisms tend to.
#[cfg(feature = "cli")]
pub static MIXED_LIMIT: Statement = Statement {
    citation: "Bu, Dong, Long, Su 2020, for Poisson samples; mu of Dong-Roth-Su, Theorem 3.4, for the rest (forms \
               centred and poisson); no bound; proofs/paper/limit-theorems.md",
    meaning: "Long compositions of mechanisms that each leak little tend to a G_mu, and squares of mu add.",
    page: "limit-theorems.md",
};

/// What long compositions tend to, with corrections.
#[cfg(feature = "cli")]
pub static EDGEWORTH: Statement = Statement {
    citation: "Wang, Gao, Zhang, Su, Shen 2022, the approximate accountant; no bound; proofs/paper/limit-theorems.md",
    meaning: "delta(epsilon) = P(L > epsilon) - e^epsilon Q(L > epsilon), with both tails of the summed loss by their \
              Edgeworth expansions.",
    page: "limit-theorems.md",
};

/// Amplification by shuffling.
#[cfg(feature = "cli")]
pub static AMPLIFICATION: Statement = Statement {
    citation: "Feldman, McMillan, Talwar 2022, Theorem 3.1, and 2023, Theorem 1.1, in closed form; \
               proofs/paper/shuffling.md",
    meaning: "For epsilon0 below a bound, n shuffled epsilon0-private reports are (epsilon, delta)-private with an \
              epsilon of the order of sqrt(e^epsilon0 ln(1/delta)/n).",
    page: "shuffling.md",
};

/// Noisy cyclic gradient descent by Renyi divergences.
#[cfg(feature = "cli")]
pub static SHIFTED: Statement = Statement {
    citation: "shifted Renyi divergences of noisy cyclic gradient descent, converted at the best order; \
               proofs/paper/noisy-cgd.md",
    meaning: "Renyi divergences of the last iterate are at most rho alpha.",
    page: "noisy-cgd.md",
};

/// All of them.
#[cfg(feature = "cli")]
#[cfg(any(test, feature = "generate"))]
pub static ALL: &[&Statement] = &[
    &EQUAL_MECHANISMS,
    &DIFFERENT_MECHANISMS,
    &GAUSSIAN,
    &LAPLACE,
    &DISCRETE_GAUSSIAN,
    &FINITE_PAIRS,
    &LATTICE,
    &ENUMERATION,
    &GEOMETRIC,
    &STAIRCASE,
    &STAIRCASES,
    &CONTOUR,
    &ALMOST_PERIODIC,
    &SWEPT,
    &SAMPLE,
    &MIXTURE,
    &LISTED,
    &INTEGRAL,
    &TWO_SAMPLES,
    &BETWEEN_KNOTS,
    &GRID,
    &FIXED_SIZE_SAMPLE,
    &GROUPS,
    &REVEALED_MIXTURE,
    &OPERATORS,
    &ORDER,
    &RENYI,
    &RENYI_CONVERSION,
    &CHERNOFF,
    &ALL_ORDERS,
    &GOOD_ORDER,
    &PROMISES,
    &TWO_OUTCOMES,
    &EXTREMAL,
    &POLYGONS,
    &LARGE_STEPS,
    &LARGE_LOSSES,
    &KULLBACK_LEIBLER,
    &CHI_SQUARED,
    &MAX_DIVERGENCE,
    &ANY_MECHANISM,
    &CUBES_OF_PARTS,
    &BOUNDED_LOSS,
    &PARTS_COMPOSED,
    &CONCENTRATED,
    &MONOTONE,
    &WEIGHED,
    &LINEAR,
    &PEAKED,
    &IMPLIED,
    &BEST_ORDER,
    &ZCDP_CONVERSION,
    &CANONICAL_NOISE,
    &LOSS_DISTRIBUTION,
    &CONCENTRATION,
    &RHO_FALLS,
    &ANTIPODAL,
    &GAUSSIAN_FIT,
    &PROMISED_FIT,
    &FUNCTIONALS,
    &MULTIPARTY,
    &BERRY_ESSEEN,
    &RATE,
    &CENTRED_LIMIT,
    &PRINTED_LIMIT,
    &WORST_LIMIT,
    &POISSON_LIMIT,
    &UNIFORM_LIMIT,
    &MIXED_LIMIT,
    &EDGEWORTH,
    &SHUFFLING,
    &AMPLIFICATION,
    &SHIFTED,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn citations_are_keys_and_pages_are_there() {
        for (i, statement) in ALL.iter().enumerate() {
            assert_eq!(Statement::cited(statement.citation()), Some(*statement));
            assert!(ALL[..i].iter().all(|other| other.citation != statement.citation));
            let page = format!("proofs/paper/{}", statement.page());
            assert!(root().join(&page).is_file(), "{page}");
            // Where a citation names a page, it is this one.
            assert!(!statement.citation().contains("proofs/") || statement.citation().ends_with(&page));
        }
    }

    /// The dictionaries of the golden vectors say what the catalogue says.
    #[test]
    fn golden_values_cite_these_statements() {
        let mut seen = 0;
        for entry in std::fs::read_dir(root().join("vectors/data")).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let file: serde_json::Value = serde_json::from_str(&text).unwrap();
            // Theorems by name are no statements that answers rest on: what they say stands beside their cases.
            if file["quantity"] == "theorem" {
                continue;
            }
            for (citation, meaning) in file["statements"].as_object().unwrap() {
                let statement = Statement::cited(citation).unwrap_or_else(|| panic!("{citation}"));
                assert_eq!(Some(statement.meaning()), meaning.as_str(), "{citation}");
                seen += 1;
            }
        }
        assert!(seen > 40, "{seen}");
    }
}
