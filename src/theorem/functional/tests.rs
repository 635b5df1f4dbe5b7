use super::*;
use crate::theorem::factors::tests::printed;
use enclosure::refine;

fn ask(kind: Functional, text: &str, direction: Direction) -> Result<Value, Error> {
    let composition: Composition = text.parse().expect("a composition");
    let budget = Budget::default();
    let mut infinite = false;
    let number = refine(20, &budget, |bits| match kind.of(&composition, direction, bits, &budget)? {
        Value::Finite(number) => Ok(number),
        Value::Infinite => {
            infinite = true;
            Ok(Number::zero())
        }
    })?;
    Ok(if infinite { Value::Infinite } else { Value::Finite(number) })
}

fn number(kind: Functional, text: &str) -> Number {
    match ask(kind, text, Direction::Worst) {
        Ok(Value::Finite(number)) => number,
        other => panic!("{text}: {other:?}"),
    }
}

/// Where the privacy loss is a constant nothing varies: exact zeros, which enclosures would approach for ever.
#[test]
fn constant_losses_do_not_vary() {
    let backward = "finite(p=[1/13,5/13,7/13], q=[0,1,0])";
    for (text, direction) in [
        ("finite(p=[0,1,0], q=[1/13,5/13,7/13])", Direction::Forward),
        ("finite(p=[0,1/2,1/2], q=[1/3,1/3,1/3])^3 * finite(p=[0,1], q=[2/7,5/7])", Direction::Forward),
        (backward, Direction::Backward),
    ] {
        for kind in [Functional::Variance, Functional::Cumulant(3), Functional::Cumulant(4), Functional::Kappa3Bar] {
            let Ok(Value::Finite(value)) = ask(kind, text, direction) else { panic!("{text} {kind:?}") };
            assert_eq!(value.exact(), Some(&Rational::new()), "{text} {kind:?}");
        }
    }
    // The loss of the other order is infinite, and one that takes two values varies.
    assert!(matches!(ask(Functional::Variance, backward, Direction::Forward), Ok(Value::Infinite)));
    let two = ask(Functional::Variance, "finite(p=[1/2,1/2], q=[1/3,2/3])", Direction::Forward);
    assert!(matches!(two, Ok(Value::Finite(value)) if value.sign() == Some(Ordering::Greater)));
}

/// Values of the closed forms in the table of Dong, Roth and Su's functionals, by another program.
#[test]
fn functionals_of_the_table() {
    use Functional::{Kappa2, Kappa3, Kappa3Bar};
    let kl = Functional::Cumulant(1);
    for (kind, text, value) in [
        (kl, "randomized-response(epsilon=0.1)", "0.004995837495787997219838636520828"),
        (Kappa3Bar, "randomized-response(epsilon=0.1)", "0.0009999937707865458193164242837"),
        (kl, "randomized-response(epsilon=1)", "0.4621171572600097585023184836436725"),
        (Kappa3Bar, "randomized-response(epsilon=1)", "0.954395429244608153388653092214"),
        (Kappa3, "gaussian(sigma=1)", "2.206546969579890236808601971661427"),
        (Kappa3Bar, "gaussian(sigma=1)", "1.595769121605730711759784239737527"),
        (kl, "laplace(scale=1)", "0.3678794411714423215955237701614608"),
        (Kappa2, "laplace(scale=1)", "0.7927233529713460704268573790312347"),
        (Kappa3, "laplace(scale=1)", "0.7661734605201537907569506432796879"),
        (Kappa3Bar, "laplace(scale=1)", "0.6993476543854686594266318466254486"),
    ] {
        let found = number(kind, text).enclosure(300);
        assert!(found.overlaps(&printed(value)), "{kind:?} {text}: {found:?}");
    }
    assert_eq!(number(Kappa2, "gaussian(sigma=1)").exact(), Some(&Rational::from((5, 4))));
    assert_eq!(number(Kappa2, "gaussian(sigma=2)^4").exact(), Some(&Rational::from((5, 4))));
    assert_eq!(number(Kappa3, "randomized-response(epsilon=1/2)").exact(), Some(&Rational::from((1, 8))));
    let constant = number(Functional::PositiveChiSquared, "gaussian(sigma=1)").enclosure(200).shift(1).sqrt();
    assert!(constant.overlaps(&printed("1.710142475595330609052616278568")));
}

/// F-divergences of finite pairs by hand, with mass where the other has none.
#[test]
fn divergences_with_mass_at_infinity() {
    let text = "finite(p=[1/2,1/2,0], q=[0,1/8,7/8])";
    let q = |n: i64, d: i64| Enclosure::rational(&Rational::from((n, d)), 200);
    // 1 - sqrt(1/16)
    assert!(number(Functional::Hellinger, text).enclosure(200).contains(&Rational::from((3, 4))));
    // 1/2 + 7/8 + (9/64)/(5/8), halved.
    assert!(number(Functional::LeCam, text).enclosure(200).contains(&Rational::from((4, 5))));
    let midpoint = q(1, 2) * q(8, 5).ln() + q(1, 8) * q(2, 5).ln() + q(11, 8) * Enclosure::ln_2(200);
    assert!(number(Functional::JensenShannon, text).enclosure(200).overlaps(&midpoint.shift(-1)));
    for kind in [
        Functional::Cumulant(1),
        Functional::Kappa2,
        Functional::Kappa3,
        Functional::Kappa3Bar,
        Functional::Cumulant(4),
    ] {
        assert!(matches!(ask(kind, text, Direction::Forward), Ok(Value::Infinite)), "{kind:?}");
    }
    // Only one way: Q has nothing where P has none.
    let one_sided = "finite(p=[1/2,1/2], q=[1,0])";
    assert!(matches!(ask(Functional::Cumulant(1), one_sided, Direction::Forward), Ok(Value::Infinite)));
    assert!(matches!(ask(Functional::Cumulant(1), one_sided, Direction::Backward), Ok(Value::Finite(_))));
    // Against the normal distributions: Hellinger is 1 - e^(-mu^2/8).
    let normal = number(Functional::Hellinger, "gaussian(sigma=1)^3").enclosure(200);
    assert!(normal.overlaps(&-(-q(3, 8)).expm1()));
}

/// Each divergence lies where total variation puts it: `h <= TV <= sqrt(2h)`, `TV^2 <= le-cam <= TV`, and
/// Jensen-Shannon at most `ln 2 TV`.
#[test]
fn divergences_are_ordered() {
    let budget = Budget::default();
    for text in [
        "gaussian(sigma=1)",
        "laplace(scale=1/2)",
        "poisson(rate=1/4, gaussian(sigma=1))",
        "discrete-gaussian(sigma2=2)",
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let curve = crate::compose::curve(&composition, crate::compose::Method::Auto, &budget).expect("a curve");
        let tv = curve.delta(&Real::zero(), Direction::Forward, 80, &budget).expect("tv").enclosure(80);
        let [h, c, j] = [Functional::Hellinger, Functional::LeCam, Functional::JensenShannon]
            .map(|kind| number(kind, text).enclosure(80));
        assert!(h.upper() <= tv.lower() && tv.upper() <= h.shift(1).sqrt().lower(), "{text}");
        assert!(tv.square().upper() <= c.lower() && c.upper() <= tv.lower(), "{text}");
        assert!(j.upper() <= (tv * Enclosure::ln_2(80)).lower(), "{text}");
    }
}

#[test]
fn other_questions_are_refused() {
    let both = "poisson(rate=1/10, gaussian(sigma=1) * laplace(scale=1))^2";
    assert!(matches!(ask(Functional::Kappa3, both, Direction::Worst), Err(Error::Undecided(_))));
    assert!(matches!(ask(Functional::Cumulant(6), "laplace(scale=1)", Direction::Worst), Err(Error::Input(_))));
    assert!(matches!(ask(Functional::Cumulant(0), "laplace(scale=1)", Direction::Worst), Err(Error::Input(_))));
    let sample = "poisson(rate=1/10, gaussian(sigma=1))";
    assert!(matches!(ask(Functional::PositiveChiSquared, sample, Direction::Worst), Err(Error::Undefined(_))));
    assert_eq!(number(Functional::Kappa3Bar, "gdp(mu=0)").exact(), Some(&Rational::new()));
    assert_eq!(number(Functional::Cumulant(3), "discrete-gaussian(sigma2=2)").exact(), Some(&Rational::new()));
}

/// Functionals that take the list of losses, of a composition: against the sum over its outcomes.
#[test]
fn compositions_with_a_list() {
    let of = |text: &str, functional: Functional| {
        let composition: Composition = text.parse().expect("a composition");
        match functional.of(&composition, Direction::Worst, 120, &Budget::default()).expect(text) {
            Value::Finite(number) => number.enclosure(120),
            Value::Infinite => panic!("{text}: infinite"),
        }
    };
    // x = 3, k = 2: losses 2 ln 3, 0, -2 ln 3 with P-masses 9/16, 6/16, 1/16.
    let cube = Enclosure::rational(&Rational::from(9), 120).ln().pow(3);
    let expected = cube * Enclosure::rational(&Rational::from((10, 16)), 120);
    for text in ["randomized-response(epsilon=ln(3))^2", "finite(p=[3/4, 1/4], q=[1/4, 3/4])^2"] {
        assert!(of(text, Functional::Kappa3).overlaps(&expected), "{text}");
        // (1/2) (2 (8/16)^2/(10/16)) = 2/5.
        assert!(of(text, Functional::LeCam).contains(&Rational::from((2, 5))), "{text}");
    }
    // The binomial list of a response that is no fraction, beside the product of two finite pairs next to it.
    let near = "finite(p=[73105857863/100000000000, 26894142137/100000000000], \
                q=[26894142137/100000000000, 73105857863/100000000000])^4";
    for functional in
        [Functional::JensenShannon, Functional::LeCam, Functional::Kappa3Bar, Functional::PositiveChiSquared]
    {
        let gap = of("randomized-response(epsilon=1)^4", functional) - of(near, functional);
        assert!(gap.abs().upper() < &1e-8, "{functional:?}: {gap:?}");
    }
}

/// Values by another program, which integrates over the losses of each step: of Laplace noise with its atoms, of
/// Poisson samples of Gaussian noise, and of both kinds of noise together.
#[test]
fn compositions_by_integrals_over_the_losses_of_each_step() {
    use Functional::{JensenShannon, Kappa3, Kappa3Bar, LeCam, PositiveChiSquared};
    let two = "laplace(scale=1)^2";
    let sample = "poisson(rate=1/4, gaussian(sigma=1))^2";
    for (kind, text, value) in [
        (Kappa3, two, "3.359389960861904063"),
        (Kappa3Bar, two, "2.165639086783596008"),
        (PositiveChiSquared, two, "2.101534802127938593"),
        (JensenShannon, two, "0.162360418967933945"),
        (LeCam, two, "0.292998606843122415"),
        (LeCam, "gaussian(sigma=1) * laplace(scale=1)", "0.322463497670542709"),
        (Kappa3, "gaussian(sigma=1) * laplace(scale=1)", "5.509565299403002210"),
        (Kappa3, sample, "0.20138215078270927"),
        (Kappa3Bar, sample, "0.177579809149"),
        (JensenShannon, sample, "0.01736228018970"),
        (LeCam, sample, "0.03366510579006"),
    ] {
        let composition: Composition = text.parse().expect("a composition");
        let found = kind.of(&composition, Direction::Forward, 80, &Budget::default()).expect(text);
        let Value::Finite(found) = found else { panic!("{text}: infinite") };
        let found = found.enclosure(100);
        assert!(found.overlaps(&printed(value)), "{kind:?} {text}: {found:?}");
        assert!(found.relative_bits() >= Some(40), "{kind:?} {text}: {found:?}");
    }
}

/// A list and a line say the same: of fractions, and of responses, once as they are and once beside a response that is
/// no fraction and leaks hardly anything.
#[test]
fn lists_and_lines_agree() {
    let ask = |kind: Functional, text: &str, direction: Direction| {
        let composition: Composition = text.parse().expect("a composition");
        match kind.of(&composition, direction, 70, &Budget::default()).expect(text) {
            Value::Finite(value) => value.enclosure(100),
            Value::Infinite => panic!("{text}: infinite"),
        }
    };
    let beside = " * randomized-response(epsilon=1e-13)";
    let one = "finite(p=[1/2,1/4,1/4], q=[1/3,1/3,1/3])^3";
    for kind in [Functional::Kappa3, Functional::Kappa3Bar, Functional::JensenShannon, Functional::LeCam] {
        for direction in [Direction::Forward, Direction::Backward] {
            let (listed, lined) = (ask(kind, one, direction), ask(kind, &format!("{one}{beside}"), direction));
            let off = (&lined - &listed).abs();
            assert!(off.upper().to_f64() < 1e-12, "{kind:?}: {listed:?} {lined:?}");
        }
    }
    let three = "randomized-response(epsilon=ln(3))^3";
    let of = |text: &str| ask(Functional::PositiveChiSquared, text, Direction::Worst);
    let off = (of(&format!("{three}{beside}")) - of(three)).abs();
    assert!(off.upper().to_f64() < 1e-6, "{off:?}");
}

/// Many steps: of the loss of a composition of Gaussian noise and of nearly as much noise that is not Gaussian, by the
/// closed form; mass at infinity, and what is not symmetric.
#[test]
fn compositions_of_many_steps() {
    // Beside noise that is all but nothing the loss is normal still.
    let near = number(Functional::Kappa3Bar, "gaussian(sigma=1) * laplace(scale=1000000000000)").enclosure(100);
    let normal = number(Functional::Kappa3Bar, "gaussian(sigma=1)").enclosure(100);
    assert!((&near - &normal).abs().upper().to_f64() < 1e-11, "{near:?} {normal:?}");
    for kind in [Functional::Kappa3, Functional::Kappa3Bar] {
        let failing = "approx-dp(epsilon=1, delta=1/10) * laplace(scale=1)";
        assert!(matches!(ask(kind, failing, Direction::Worst), Ok(Value::Infinite)), "{kind:?}");
    }
    let all = [
        ("approx-dp(epsilon=1, delta=1/10) * laplace(scale=1)", "f(0) = 1"),
        ("poisson(rate=1/4, gaussian(sigma=1))^2", "symmetric"),
    ];
    for (text, why) in all {
        let found = ask(Functional::PositiveChiSquared, text, Direction::Worst);
        assert!(matches!(&found, Err(Error::Undefined(reason)) if reason.to_string().contains(why)), "{found:?}");
    }
    // Divergences are at most what all information is worth, and grow.
    let mut before = Enclosure::zero(64);
    for steps in [2, 20, 200, 2000] {
        let text = format!("poisson(rate=1/50, gaussian(sigma=1))^{steps}");
        let found = number(Functional::JensenShannon, &text).enclosure(64);
        assert!(found.lower() > before.upper() && found.upper() < Enclosure::ln_2(64).lower(), "{text}: {found:?}");
        before = found;
    }
}

/// A few runs of a sample of a fixed size have their cubes on a line: next to sums over two runs in doubles.
#[test]
fn a_few_runs_of_folded_samples_have_cubes() {
    let text = "hull(poisson(rate=1/10, gdp(mu=1)))^2";
    for (functional, known) in [(Functional::Kappa3, "25928495299881"), (Functional::Kappa3Bar, "25319094586940")] {
        let found = functional.of(&text.parse().expect(text), Direction::Forward, 40, &Budget::default());
        let Value::Finite(found) = found.expect(text) else { panic!("infinite") };
        let found = found.enclosure(64);
        let near = |last: i64| Rational::from((known.parse::<i64>().expect("digits") + last, 10_i64.pow(15)));
        let known = Enclosure::rational(&near(-10), 64).hull(&Enclosure::rational(&near(10), 64));
        assert!(found.overlaps(&known) && found.relative_bits() > Some(20), "{functional:?}: {found:?}");
    }
}
