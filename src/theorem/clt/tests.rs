use super::*;
use crate::theorem::factors::tests::printed;

fn of(text: &str, form: Form) -> Result<Clt, Error> {
    Clt::of(&text.parse().expect("a composition"), form, 120, &Budget::default())
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// The constants of subsampled Gaussian noise: rate 1, one step.
#[test]
fn constants_of_noisy_sgd() {
    for (sigma, uniform, poisson) in [
        ("0.7", "3.545655356646014874170083651083", "2.587834965829685708036402200946"),
        ("1", "1.710142475595330609052616278568", "1.310832494432086175906770361134"),
        ("1.3", "1.125417787930352457268159192199", "0.8983800277888931445909527261257"),
    ] {
        // 10^4 steps at rate 1/100.
        let text = format!("poisson(rate=1/100, gaussian(sigma={sigma}))^10000");
        for (form, value) in [(Form::Uniform, uniform), (Form::Poisson, poisson), (Form::Auto, poisson)] {
            let found = of(&text, form).expect("a limit");
            assert!(found.mu().overlaps(&printed(value)), "{sigma} {form:?}: {:?}", found.mu());
        }
    }
    // Figure 2 of Su 2024, its column of the limit with the figure's own parameters.
    for (steps, epsilon) in [(200, "0.025012"), (20_000, "0.313635")] {
        let found = of(&format!("poisson(rate=0.0005, gaussian(sigma=1))^{steps}"), Form::Auto).expect("a limit");
        let Ok(Value::Finite(number)) = found.epsilon(&real("1e-5"), 60, &Budget::default()) else { panic!("{steps}") };
        assert!(number.enclosure(60).overlaps(&printed(epsilon)), "{number:?}");
    }
}

/// Gaussian noise is its own limit, and worst mechanisms have two: Theorem 3.6 and that of their moments.
#[test]
fn limits_of_symmetric_mechanisms() {
    let found = of("gaussian(sigma=2)^16", Form::Auto).expect("a limit");
    assert!(found.mu().contains(&2.into()));
    let (text, budget) = ("approx-dp(epsilon=1/10, delta=1/10000)^100", Budget::default());
    assert!(of(text, Form::Worst).expect("a limit").mu().contains(&1.into()));
    assert!(of(text, Form::Centred).expect("a limit").mu().overlaps(&printed("1.000416718753100306060923165559")));
    // 2 sqrt n tanh(eps/2)
    assert!(
        of("randomized-response(epsilon=sqrt(1/10))^10", Form::Printed)
            .expect("a limit")
            .mu()
            .overlaps(&printed("0.991749"))
    );
    // The failure of the limit is 1 - e^(-1/100), and that of the product is nearly it: both at a large epsilon.
    let large = real("50");
    let limit = of(text, Form::Worst).expect("a limit").delta(&large, 60, &budget).expect("delta");
    let failure = (-Enclosure::rational(&(1, 100).into(), 100)).expm1();
    assert!((-failure).overlaps(&limit), "{limit:?}");
    // Squares add up.
    let both = of("gaussian(sigma=2)^16 * poisson(rate=1/100, gaussian(sigma=1))^10000", Form::Auto).expect("a limit");
    let sum = printed("1.310832494432086175906770361134").square() + Enclosure::one(100).shift(2);
    assert!(both.mu().square().overlaps(&sum));
}

/// `chi^2_+` by sums: a lattice of its own for randomised response, and Laplace noise as many steps of it.
#[test]
fn positive_parts_of_chi_squared() {
    let budget = Budget::default();
    let pair = |text: &str| {
        let composition: Composition = text.parse().expect("a composition");
        composition.single().expect("one").0.pair().expect("a pair")
    };
    let of = |text: &str| positive_chi_squared(&pair(text), 100, &budget).expect("a number");
    // (x-1)^2/(1+x) at x = 3.
    assert!(of("randomized-response(epsilon=ln(3))").contains(&1.into()));
    // By the atoms and integrals of another way: at s = 2 ln 2, e^s = 4: 9/8 + (1/8)(14/3 - 4 + 1).
    assert!(of("laplace(scale=1/(2*ln(2)))").contains(&(rug::Rational::from((9, 8)) + rug::Rational::from((5, 24)))));
    assert!(matches!(
        positive_chi_squared(&pair("approx-dp(epsilon=1, delta=1/2)"), 60, &budget),
        Err(Error::Undefined(_))
    ));
}

#[test]
fn other_mechanisms_are_refused() {
    for (text, form) in [
        ("gaussian(sigma=1)^10", Form::Poisson),
        ("gaussian(sigma=1)^10", Form::Uniform),
        ("gaussian(sigma=1)^10", Form::Worst),
        ("finite(p=[1/2,1/2], q=[1/3,2/3])^100", Form::Auto),
        ("poisson(rate=1/10, gaussian(sigma=1))", Form::Centred),
        ("poisson(rate=1/10, approx-dp(epsilon=1, delta=1/10))", Form::Auto),
    ] {
        assert!(matches!(of(text, form), Err(Error::Undefined(_))), "{text} {form:?}");
    }
}

/// A sample is one whether or not its masses are fractions: `mu^2 = n r^2 chi^2`, and of randomised response
/// `chi^2 = (x-1)^2/x`.
#[test]
fn samples_in_fractions_are_samples() {
    let square = |text: &str, form| of(text, form).expect(text).mu().square();
    let sample = "poisson(rate=1/10, randomized-response(epsilon=ln(3)))^100";
    // 100 (1/100) (2^2/3).
    assert!(square(sample, Form::Auto).contains(&(4, 3).into()));
    assert!(square(sample, Form::Poisson).contains(&(4, 3).into()));
    // 2 chi^2_+: |f'| = 3 on a mass of 1/4, and 2 (3-1)^2/4 = 2.
    assert!(square(sample, Form::Uniform).contains(&2.into()));
    let near = "poisson(rate=1/10, randomized-response(epsilon=ln(3)+1e-60*sqrt(2)))^100";
    for form in [Form::Auto, Form::Poisson, Form::Uniform] {
        let gap = square(sample, form) - square(near, form);
        assert!(gap.abs().upper() < &1e-30, "{form:?}: {gap:?}");
    }
    let finite = "poisson(rate=1/10, finite(p=[1/2, 1/2], q=[1/3, 2/3]))^100";
    // chi^2 = (1/6)^2/(1/3) + (1/6)^2/(2/3)
    assert!(square(finite, Form::Poisson).contains(&(1, 8).into()));
    // Beside another one squares add up, and what the sample fails with is in its divergence.
    let both = format!("{sample} * gaussian(sigma=2)^16");
    assert!(square(&both, Form::Auto).contains(&(16, 3).into()));
    assert!(of("poisson(rate=1/10, approx-dp(epsilon=ln(3), delta=1/10))", Form::Auto).is_err());
}

/// Samples of a fixed size have the constant of the uniform form, and no other form takes them for samples.
#[test]
fn samples_of_a_fixed_size() {
    let square = |text: &str, form| of(text, form).expect(text).mu().square();
    let (fixed, poisson) =
        ("subsample(rate=1/100, gaussian(sigma=1))^1000", "poisson(rate=1/100, gaussian(sigma=1))^1000");
    let gap = square(fixed, Form::Uniform) - square(poisson, Form::Uniform);
    assert!(gap.abs().upper() < &1e-15, "{gap:?}");
    assert!(matches!(of(fixed, Form::Poisson), Err(Error::Undefined(_))));
}
