use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn composition(text: &str) -> Composition {
    Composition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn canonical_texts() {
    for (given, printed) in [
        ("approx-dp(epsilon=0.1, delta=0.001)^30", "approx-dp(epsilon=1/10, delta=1/1000)^30"),
        ("approx-dp( delta = 1e-3 , epsilon = ln(3/2) )", "approx-dp(epsilon=ln(3/2), delta=1/1000)"),
        ("randomised-response(epsilon=1)", "randomized-response(epsilon=1)"),
        ("gaussian(sigma=2, sensitivity=1)", "gaussian(sigma=2)"),
        ("gaussian(sigma=sqrt(2), sensitivity=0.5)", "gaussian(sigma=sqrt(2), sensitivity=1/2)"),
        ("gdp(mu=1/2)", "gdp(mu=1/2)"),
        ("laplace(scale=3)^1", "laplace(scale=3)"),
        ("geometric(epsilon=1, sensitivity=2)", "geometric(epsilon=1, sensitivity=2)"),
        ("staircase(epsilon=1, gamma=1/2)", "staircase(epsilon=1, gamma=1/2)"),
        ("discrete-gaussian(sigma2=120000/1729)^9", "discrete-gaussian(sigma2=120000/1729)^9"),
        ("discrete-gaussian(sigma=sqrt(2))", "discrete-gaussian(sigma2=2)"),
        ("finite(p=[1/2,1/2,0], q=[0.25,0,3/4])", "finite(p=[1/2, 1/2, 0], q=[1/4, 0, 3/4])"),
        ("(gdp(mu=1) * gdp(mu=2)^2)^3", "gdp(mu=1)^3 * gdp(mu=2)^6"),
        ("gdp(mu=1)*gdp(mu=2)*gdp(mu=2/2)", "gdp(mu=1)^2 * gdp(mu=2)"),
        ("gdp(mu=ln(4)) * gdp(mu=2*ln(2))", "gdp(mu=2*ln(2))^2"),
        ("gdp(mu=1)^0 * gdp(mu=2)", "gdp(mu=2)"),
        ("gdp(mu=1)^0", "gdp(mu=0)^0"),
        ("(gdp(mu=1)*gdp(mu=2))^0", "gdp(mu=0)^0"),
        ("gdp(mu=1)^1e6", "gdp(mu=1)^1000000"),
        ("gdp(mu=1)^(2^63)", "gdp(mu=1)^9223372036854775808"),
        ("  ( gdp ( mu = 1 ) ^ 2 ) ", "gdp(mu=1)^2"),
        // no noise at all is the limit, and allowed where the pair has one
        ("geometric(epsilon=0, sensitivity=0)", "geometric(epsilon=0, sensitivity=0)"),
        // a mechanism inside another
        ("poisson(rate=0.01, gaussian(sigma=1))^1000", "poisson(rate=1/100, gaussian(sigma=1))^1000"),
        ("poisson( gaussian( sigma = 1 ) , rate = 0.01 )", "poisson(rate=1/100, gaussian(sigma=1))"),
        ("poisson(mechanism=gdp(mu=1), rate=1)", "poisson(rate=1, gdp(mu=1))"),
        ("poisson(rate=1/2, (gdp(mu=1))^1)", "poisson(rate=1/2, gdp(mu=1))"),
        ("poisson(rate=1/2, zcdp(rho=1)^2)", "poisson(rate=1/2, mixture(1: zcdp(rho=1)^2))"),
        ("poisson(rate=1/2, mixture(1: zcdp(rho=1)^2))", "poisson(rate=1/2, mixture(1: zcdp(rho=1)^2))"),
        ("poisson(rate=1/2, gdp(mu=1)*gdp(mu=2)^0)", "poisson(rate=1/2, gdp(mu=1))"),
        ("poisson(rate=0, finite(p=[1,0],q=[1/2,1/2]))", "poisson(rate=0, finite(p=[1, 0], q=[1/2, 1/2]))"),
        ("poisson(rate=1-exp(-1), laplace(scale=3))", "poisson(rate=1 - exp(-1), laplace(scale=3))"),
        ("poisson(rate=1/2, poisson(rate=1/3, gdp(mu=1)))", "poisson(rate=1/6, gdp(mu=1))"),
        ("poisson(rate=1/2, gdp(mu=1)) * poisson(rate=1/4, poisson(rate=2/1, gdp(mu=1))^0 * gdp(mu=1))", ""),
        // what the other weights leave
        ("mixture(1/3: gdp(mu=1), rest: gdp(mu=2))", "mixture(1/3: gdp(mu=1), 2/3: gdp(mu=2))"),
        (
            "mixture( rest : gdp(mu=1)^2, 1/2: gdp(mu=2), 0.25: gdp(mu=3))^2",
            "mixture(1/4: gdp(mu=1)^2, 1/2: gdp(mu=2), 1/4: gdp(mu=3))^2",
        ),
        ("mixture(rest: gdp(mu=1))", "mixture(1: gdp(mu=1))"),
        ("mixture(1: gdp(mu=1), rest: gdp(mu=2))", "mixture(1: gdp(mu=1), 0: gdp(mu=2))"),
    ] {
        if printed.is_empty() {
            assert!(Composition::parse(given).is_err(), "{given}");
            continue;
        }
        let value = composition(given);
        assert_eq!(value.to_string(), printed, "{given}");
        assert_eq!(composition(printed), value, "{given}");
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<Composition>(&json).unwrap(), value);
        let steps = serde_json::to_string(&value.steps()).unwrap();
        assert_eq!(serde_json::from_str::<Composition>(&steps).unwrap(), value, "{steps}");
    }
}

/// Compositions with alternative parameters, and how they are printed.
const ALTERNATIVES: &[(&str, &str)] = &[
    ("laplace(epsilon=1/2)", "laplace(scale=2)"),
    ("laplace(epsilon=1/2, sensitivity=3)", "laplace(scale=6, sensitivity=3)"),
    ("laplace(epsilon=ln(3))", "laplace(scale=ln(3)^-1)"),
    ("geometric(scale=2)", "geometric(epsilon=1/2)"),
    ("geometric(scale=2, sensitivity=3)", "geometric(epsilon=1/2, sensitivity=3)"),
    ("geometric(scale=1/ln(2))", "geometric(epsilon=ln(2))"),
    ("gaussian(sigma2=4)", "gaussian(sigma=2)"),
    ("gaussian(sigma2=1/2, sensitivity=3)", "gaussian(sigma=1/2*sqrt(2), sensitivity=3)"),
    ("gaussian(noise-multiplier=2, sensitivity=3)", "gaussian(sigma=6, sensitivity=3)"),
    ("gaussian(mu=1/2)", "gaussian(sigma=2)"),
    ("gaussian(mu=sqrt(2), sensitivity=3)", "gaussian(sigma=3/2*sqrt(2), sensitivity=3)"),
    ("discrete-gaussian(sigma=3/2)", "discrete-gaussian(sigma2=9/4)"),
    ("randomized-response(p=3/4)^2", "randomized-response(epsilon=ln(3))^2"),
    ("randomized-response(p=0.9)", "randomized-response(epsilon=2*ln(3))"),
    ("randomized-response(p=1/2)", "randomized-response(epsilon=0)"),
    ("k-randomized-response(p=1/2, categories=5)", "k-randomized-response(epsilon=2*ln(2), categories=5)"),
    ("k-randomized-response(categories=3, p=1/3)", "k-randomized-response(epsilon=0, categories=3)"),
    ("poisson(sampling-rate=1/4, laplace(epsilon=2))^3", "poisson(rate=1/4, laplace(scale=1/2))^3"),
];

#[test]
fn alternative_parameters_equal_the_printed_ones() {
    for (given, printed) in ALTERNATIVES {
        let value = composition(given);
        assert_eq!(value, composition(printed), "{given}");
        assert_eq!(value.to_string(), *printed, "{given}");
    }
    for entry in Mechanism::catalogue() {
        for parameter in entry.parameters.iter().filter(|one| matches!(one.presence, Presence::InsteadOf(_))) {
            let [mechanism, name] = [format!("{}(", entry.name), format!("{}=", parameter.name)];
            let tested = |(given, _): &(&str, &str)| given.starts_with(&mechanism) && given.contains(&name);
            assert!(ALTERNATIVES.iter().any(tested), "{mechanism}{name}");
        }
    }
    let steps = r#"[{"mechanism": "randomized-response", "parameters": {"p": "3/4"}, "times": 2},
                    {"mechanism": "laplace", "parameters": {"epsilon": {"ln": "2"}}}]"#;
    let wanted = composition("randomized-response(epsilon=ln(3))^2 * laplace(scale=1/ln(2))");
    assert_eq!(serde_json::from_str::<Composition>(steps).expect("steps"), wanted);
    let file = "[[mechanism]]\nname = \"gaussian\"\nmu = 0.5\n";
    assert_eq!(file::read(file).expect("a file"), composition("gaussian(sigma=2)"));
}

#[test]
fn alternative_parameters_are_refused_together_and_outside_their_domains() {
    for (given, column, message) in [
        ("laplace(scale=1, epsilon=1)", 18, "give epsilon or scale, not both"),
        ("geometric(epsilon=1, scale=1)", 22, "give scale or epsilon, not both"),
        ("gaussian(mu=1, sigma=1)", 10, "give mu or sigma, not both"),
        ("gaussian(noise-multiplier=1, mu=1)", 10, "give noise-multiplier or mu, not both"),
        ("gaussian(noise-multiplier=1, sigma2=1)", 30, "give sigma2 or noise-multiplier, not both"),
        ("randomized-response(epsilon=1, p=3/4)", 32, "give p or epsilon, not both"),
        (
            "k-randomized-response(p=1/2)",
            1,
            "`categories` is missing: k-randomized-response(epsilon=..., categories=...)",
        ),
        ("laplace(epsilon=-1)", 9, "epsilon must be greater than 0, not -1"),
        (
            "laplace(epsilon=0)",
            9,
            "epsilon must be greater than 0, not 0; a mechanism that reveals nothing is `gdp(mu=0)`",
        ),
        ("laplace(epsilon=1, sensitivity=0)", 20, "sensitivity, with epsilon, must be greater than 0, not 0"),
        ("gaussian(mu=0)", 10, "mu must be greater than 0, not 0; a mechanism that reveals nothing is `gdp(mu=0)`"),
        ("gaussian(mu=1, sensitivity=0)", 16, "sensitivity, with mu, must be greater than 0, not 0"),
        ("gaussian(sigma2=-1)", 10, "sigma2 must be greater than 0, not -1"),
        (
            "geometric(scale=0)",
            11,
            "scale must be greater than 0, not 0; a mechanism without noise reveals everything: \
             write `approx-dp(epsilon=0, delta=1)`",
        ),
        (
            "randomized-response(p=1)",
            21,
            "p must be at least 1/2 and less than 1, not 1; a true report reveals everything: \
             write `approx-dp(epsilon=0, delta=1)`",
        ),
        ("randomized-response(p=2)", 21, "p must be at least 1/2 and less than 1, not 2"),
        ("randomized-response(p=-1)", 21, "p must be at least 1/2 and less than 1, not -1"),
        (
            "randomized-response(p=1/3)",
            21,
            "p must be at least 1/2 and less than 1, not 1/3; below 1/2 each other answer is more likely than the true \
             one",
        ),
        (
            "k-randomized-response(p=1/5, categories=4)",
            23,
            "p must be at least 1/4 and less than 1, not 1/5; below 1/4 each other answer is more likely than the true \
             one",
        ),
        ("randomized-response(x=1)", 21, "randomized-response has no parameter `x` (known names: epsilon, p)"),
    ] {
        let error = Composition::parse(given).expect_err(given);
        assert_eq!((error.message(), error.column()), (message, column), "{given}");
    }
}

#[test]
fn what_is_refused_and_where() {
    for (given, column, part) in [
        ("", 1, "unexpected end, expected a mechanism"),
        ("gausian(sigma=1)", 1, "unknown mechanism `gausian`; did you mean `gaussian`?"),
        ("gdp(mu=1)*approx_dp(epsilon=1)", 11, "did you mean `approx-dp`?"),
        ("quux(a=1)", 1, "known names: approx-dp, randomized-response, k-randomized-response, gaussian"),
        ("gaussian", 9, "expected '(', as in gaussian(sigma=..., sensitivity=1)"),
        ("gaussian()", 1, "`sigma` is missing: gaussian(sigma=..., sensitivity=1)"),
        ("gaussian(2)", 10, "expected a parameter with its name, as in gaussian(sigma="),
        ("gaussian(sigm=2)", 10, "gaussian has no parameter `sigm`; did you mean `sigma`?"),
        ("gaussian(sigma 2)", 16, "expected '=' after `sigma`"),
        ("gaussian(sigma=2 sensitivity=1)", 18, "expected an operator, ',' or ')'"),
        ("gaussian(sigma=1, sigma=2)", 19, "`sigma` is given twice"),
        (
            "gaussian(sigma=0)",
            10,
            "sigma must be greater than 0, not 0; a mechanism without noise reveals everything: \
             write `approx-dp(epsilon=0, delta=1)`",
        ),
        ("gaussian(noise-multiplier=0)", 10, "noise-multiplier must be greater than 0, not 0; a mechanism without"),
        ("laplace(scale=0)", 9, "scale must be greater than 0, not 0; a mechanism without noise"),
        ("discrete-gaussian(sigma2=0)", 19, "sigma2 must be greater than 0, not 0; a mechanism without noise"),
        ("gaussian(sigma=-1)", 10, "sigma must be greater than 0, not -1"),
        ("gaussian(sigma=1, sensitivity=-1)", 19, "sensitivity must be at least 0, not -1"),
        ("gaussian(sigma=[1])", 10, "must be a constant, not a list"),
        ("approx-dp(epsilon=-0.1, delta=0)", 11, "epsilon must be at least 0, not -1/10"),
        ("approx-dp(epsilon=1, delta=1.1)", 22, "delta must be between 0 and 1, not 11/10"),
        ("approx-dp(epsilon=1, delta=-1e-9)", 22, "delta must be between 0 and 1"),
        ("approx-dp(epsilon=1/0, delta=0)", 21, "division by zero"),
        ("approx-dp(epsilon=nan, delta=0)", 19, "NaN and infinity"),
        ("approx-dp(epsilon=inf, delta=0)", 19, "NaN and infinity"),
        ("approx-dp(epsilon=ln(1/2), delta=0)", 11, "epsilon must be at least 0, not -ln(2)"),
        ("geometric(epsilon=1, sensitivity=1.5)", 22, "sensitivity must be an integer, not 3/2"),
        ("staircase(epsilon=0, gamma=1/2)", 11, "epsilon must be greater than 0"),
        ("staircase(epsilon=1, gamma=2)", 22, "gamma must be between 0 and 1"),
        ("discrete-gaussian(sigma2=ln(2))", 19, "sigma2 must be rational"),
        ("discrete-gaussian(sigma=ln(2))", 19, "the square of sigma must be rational"),
        ("discrete-gaussian(sigma=1, sigma2=1)", 19, "give sigma or sigma2, not both"),
        ("discrete-gaussian()", 1, "`sigma2` is missing"),
        ("finite(p=[1/2,1/2], q=[1])", 21, "p has 2 entries and q has 1"),
        ("finite(p=[1/2,1/3], q=[1/2,1/2])", 8, "p must sum to 1; the sum is too small by 1/6"),
        ("finite(p=[1/2,1/2], q=[1/2,2/3])", 21, "q must sum to 1; the sum is too large by 1/6"),
        ("finite(p=[3/2,-1/2], q=[1/2,1/2])", 8, "entry 2 of p is negative: -1/2"),
        ("finite(p=[sqrt(2),1], q=[1/2,1/2])", 8, "entry 1 of p must be rational, not sqrt(2)"),
        ("finite(p=[], q=[])", 8, "p must sum to 1; the sum is too small by 1"),
        ("finite(p=[1/2,rest], q=[1/2,1/2])", 15, "unknown name 'rest'"),
        ("mixture(1/2: gdp(mu=1), rest: gdp(mu=2), rest: gdp(mu=3))", 42, "a second `rest`: only one weight can be"),
        (
            "mixture(2/3: gdp(mu=1), rest: gdp(mu=2), 1/2: gdp(mu=3))",
            25,
            "sum to 7/6: the weight `rest` would be negative",
        ),
        ("mixture(-1/3: gdp(mu=1), rest: gdp(mu=2))", 9, "a weight must be between 0 and 1, not -1/3"),
        ("mixture(4/3: gdp(mu=1), rest: gdp(mu=2))", 9, "a weight must be between 0 and 1, not 4/3"),
        ("mixture(ln(2): gdp(mu=1), rest: gdp(mu=2))", 9, "a weight must be rational, not ln(2)"),
        ("mixture(2*rest: gdp(mu=1), 0: gdp(mu=2))", 11, "unknown name 'rest'"),
        ("mixture(rest gdp(mu=1))", 14, "expected ':' after a weight"),
        ("mixture(?: gdp(mu=1), rest: gdp(mu=2))", 9, "only `calibrate` accepts a parameter marked `?`"),
        ("finite(p=1, q=1)", 8, "p must be a list, as in p=[1/2,1/2]"),
        ("gdp(mu=1)^-1", 11, "the number of repeats must be at least 0, not -1"),
        ("gdp(mu=1)^1.5", 11, "the number of repeats must be an integer, not 3/2"),
        ("gdp(mu=1)^(2^63+1)", 11, "at most 2^63"),
        ("gdp(mu=1)^1e30", 11, "at most 2^63"),
        ("(gdp(mu=1)^(2^40))^(2^40)", 20, "more than 2^63 times"),
        ("gdp(mu=1)^(2^63)*gdp(mu=1)", 1, "more than 2^63 times"),
        ("gdp(mu=1)^2^3", 12, "expected parentheses around a repeated repetition"),
        ("gdp(mu=1", 4, "'(' is never closed"),
        ("(gdp(mu=1)", 1, "'(' is never closed"),
        ("gdp(mu=1))", 10, "unmatched ')'"),
        ("gdp(mu=1) gdp(mu=2)", 11, "expected '*', '^' or the end"),
        ("gdp(mu=1) *", 12, "unexpected end, expected a mechanism"),
        ("gdp(mu=1) + gdp(mu=2)", 11, "unexpected '+'"),
        ("poisson", 8, "expected '(', as in poisson(rate=..., MECHANISM)"),
        ("poisson()", 1, "`rate`, `mechanism` are missing: poisson(rate=..., MECHANISM)"),
        ("poisson(rate=0.1)", 1, "`mechanism` is missing: poisson(rate=..., MECHANISM)"),
        ("poisson(gdp(mu=1))", 1, "`rate` is missing"),
        ("poisson(0.1, gdp(mu=1))", 9, "expected a parameter with its name, as in poisson(rate=..., MECHANISM)"),
        ("poisson(rate 0.1, gdp(mu=1))", 14, "expected '=' after `rate`"),
        ("poisson(rate=1.5, gdp(mu=1))", 9, "rate must be between 0 and 1, not 3/2"),
        ("poisson(rate=-1e-9, gdp(mu=1))", 9, "rate must be between 0 and 1"),
        ("poisson(rate=[1], gdp(mu=1))", 9, "rate must be a constant, not a list"),
        ("poisson(rate=1/2, gpd(mu=1))", 19, "unknown mechanism `gpd`; did you mean `gdp`?"),
        ("poisson(rate=1/2, gdp)", 22, "expected '(', as in gdp(mu=...)"),
        ("poisson(rate=1/2, gdp(mu=-1))", 23, "mu must be at least 0"),
        ("poisson(rate=1/2, gdp(mu=1), gdp(mu=1))", 30, "`mechanism` is given twice"),
        ("poisson(rate=1/2, gdp(mu=1) gdp(mu=1))", 29, "expected an operator, ',' or ')'"),
        ("poisson(rate=1/2, mechanism=1)", 29, "expected a mechanism, as in gaussian(sigma=1)"),
        ("poisson(rate=1/2, sigma=1, gdp(mu=1))", 19, "poisson has no parameter `sigma`"),
        ("gaussian(sigma=gaussian(sigma=1))", 16, ""),
        ("gaussian(gaussian(sigma=1))", 18, "expected '=' after `gaussian`"),
        ("gaussian(sigma=1, mechanism=1)", 19, "gaussian has no parameter `mechanism`"),
        ("@", 2, "a path after '@'"),
        ("@no-such-file.toml", 1, "cannot read 'no-such-file.toml'"),
    ] {
        let error = Composition::parse(given).expect_err(given);
        assert!(error.message().contains(part), "{given}: {error}");
        assert_eq!(error.column(), column, "{given}: {error}");
        assert!(!error.to_string().contains('\n'));
    }
    let error = Composition::parse("gdp(mu=1) * gausian(sigma=1)").unwrap_err();
    assert_eq!(error.caret(), "  gdp(mu=1) * gausian(sigma=1)\n              ^");
    assert!(Composition::parse_closed("@census.toml").unwrap_err().message().contains("not allowed here"));
}

#[test]
fn every_entry_is_whole() {
    for entry in Mechanism::catalogue() {
        let example = composition(entry.example);
        let (mechanism, _) = example.single().unwrap();
        assert_eq!(mechanism.name(), entry.name);
        let arguments: Vec<_> = mechanism.arguments().into_iter().map(|(name, _)| name).collect();
        let required =
            entry.parameters.iter().filter(|parameter| !matches!(parameter.presence, Presence::InsteadOf(_)));
        assert_eq!(arguments, required.map(|parameter| parameter.name).collect::<Vec<_>>());
        assert!(entry.usage().starts_with(entry.name));
        for name in entry.aliases {
            assert_eq!(Entry::find(name).unwrap().name, entry.name);
        }
    }
}

#[test]
fn json() {
    let read = |text: &str| serde_json::from_str::<Composition>(text);
    let expected = composition("approx-dp(epsilon=ln(3/2), delta=1/1000)^30 * gaussian(sigma=sqrt(2))");
    let steps = r#"[{"mechanism": "approx-dp", "parameters": {"epsilon": {"ln": "3/2"}, "delta": "1/1000"}, "times": 30},
                    {"mechanism": "gaussian", "parameters": {"sigma": {"sqrt": "2"}, "sensitivity": 1}}]"#;
    assert_eq!(read(steps).unwrap(), expected);
    assert_eq!(read("[]").unwrap(), Composition::default());
    let steps = r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2"}, "of": [{"mechanism": "zcdp", "parameters": {"rho": 1}, "times": 2}]}]"#;
    assert_eq!(read(steps).unwrap(), composition("poisson(rate=1/2, zcdp(rho=1)^2)"));
    let poisson = composition("poisson(rate=1/100, approx-dp(epsilon=ln(3/2), delta=0))^7");
    let steps = r#"[{"mechanism":"poisson","parameters":{"rate":"1/100"},"of":[{"mechanism":"approx-dp","parameters":{"epsilon":"ln(3/2)","delta":"0"},"times":1}],"times":7}]"#;
    assert_eq!(read(steps).unwrap(), poisson);
    assert_eq!(serde_json::to_string(&poisson.steps()).unwrap(), steps);
    let short = r#"[{"mechanism": "poisson", "parameters": {"rate": "0.01", "mechanism": "approx-dp(epsilon=ln(3/2), delta=0)"}, "times": 7}]"#;
    assert_eq!(read(short).unwrap(), poisson);
    let nested = format!(
        "{}{}{}",
        r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2"}, "of": "#.repeat(500),
        r#"[{"mechanism": "gdp", "parameters": {"mu": "1"}}]"#,
        "}]".repeat(500)
    );
    assert!(read(&nested).unwrap_err().to_string().contains("recursion limit"));
    let finite = r#"[{"mechanism": "finite", "parameters": {"p": ["1/2", "0.5"], "q": [0, 1]}, "times": "2"}]"#;
    assert_eq!(read(finite).unwrap(), composition("finite(p=[1/2,1/2], q=[0,1])^2"));
    assert_eq!(
        serde_json::to_string(&composition("finite(p=[1/2,1/2], q=[0,1])^2").steps()).unwrap(),
        r#"[{"mechanism":"finite","parameters":{"p":["1/2","1/2"],"q":["0","1"]},"times":2}]"#
    );
    for (text, part) in [
        (r#"[{"mechanism": "gdp", "parameters": {"mu": 0.30000000000000004}}]"#, "in quotation marks"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": 1.2345678901234567e30}}]"#, "in quotation marks"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": "1", "mu": "2"}}]"#, "step 1: `mu` is given twice"),
        (r#"[{"mechanism": "gdp", "parameters": {"m": "1"}}]"#, "no parameter `m`; did you mean `mu`?"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": {"log": "1"}}}]"#, "unknown function 'log'"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": {"ln": "2", "sqrt": "2"}}}]"#, "one function"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": true}}]"#, "invalid type: boolean"),
        (r#"[{"mechanism": "gpd", "parameters": {}}]"#, "did you mean `gdp`?"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": "1"}, "times": -1}]"#, "times must be at least 0, not -1"),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": "1"}, "time": 1}]"#, "unknown field `time`"),
        (r#""@census.toml""#, "files are not allowed here"),
        ("17", "a mechanism expression or a list of steps"),
        (r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2"}}]"#, "step 1: `mechanism` is missing"),
        (r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2"}, "of": []}]"#, "but there is none"),
        (
            r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2"}, "of": [{"mechanism": "gpd"}]}]"#,
            "did you mean `gdp`?",
        ),
        (
            r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2", "mechanism": "gdp(mu=1)"}, "of": [{"mechanism": "gdp", "parameters": {"mu": 1}}]}]"#,
            "`mechanism` is given twice",
        ),
        (r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2", "mechanism": "@a"}}]"#, "not allowed here"),
        (
            r#"[{"mechanism": "poisson", "parameters": {"rate": "1/2", "mechanism": ["1"]}}]"#,
            "mechanism must be a mechanism, as in gaussian(sigma=1)",
        ),
        (r#"[{"mechanism": "gdp", "parameters": {"mu": 1}, "of": []}]"#, "gdp acts on no other mechanism"),
        (r#"[{"mechanism": "gpd", "of": []}]"#, "did you mean `gdp`?"),
        (
            r#"[{"mechanism": "mixture", "parameters": {"weights": ["1/2", "1/2"]}, "of": [{"mechanism": "gdp", "parameters": {"mu": 1}}]}]"#,
            "there are 2 weights for 1 mechanisms",
        ),
        (r#"[{"mechanism": "mixture", "of": []}]"#, "step 1: `weights` is missing"),
        (
            r#"[{"mechanism": "mixture", "parameters": {"weights": ["?", "rest"], "mechanisms": ["gdp(mu=1)", "gdp(mu=2)"]}}]"#,
            "only `calibrate` accepts a parameter marked `?`",
        ),
        (
            r#"[{"mechanism": "mixture", "parameters": {"weights": ["rest", "rest"], "mechanisms": ["gdp(mu=1)", "gdp(mu=2)"]}}]"#,
            "step 1: weights: a second `rest`",
        ),
        (
            r#"[{"mechanism": "mixture", "parameters": {"weights": [2, "rest"], "mechanisms": ["gdp(mu=1)", "gdp(mu=2)"]}}]"#,
            "step 1: weights: a weight must be between 0 and 1",
        ),
        (r#"[{"mechanism": "finite", "parameters": {"p": ["rest"], "q": [1]}}]"#, "step 1: p: "),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// A mixture has one step for each weight in `of`, as vectors have it, or its mechanisms in the language.
#[test]
fn json_of_mixtures() {
    let wanted = composition("mixture(1/3: gdp(mu=1), 2/3: laplace(scale=2)^2)^3");
    for text in [
        r#"[{"mechanism": "mixture", "parameters": {"weights": ["1/3", "2/3"]}, "times": 3, "of": [
            {"mechanism": "gdp", "parameters": {"mu": 1}},
            {"mechanism": "laplace", "parameters": {"scale": 2}, "times": 2}]}]"#,
        r#"[{"mechanism": "mixture", "times": 3,
            "parameters": {"weights": ["1/3", "2/3"], "mechanisms": ["gdp(mu=1)", "laplace(scale=2)^2"]}}]"#,
        r#"[{"mechanism": "mixture", "times": 3,
            "parameters": {"weights": ["1/3", "rest"], "mechanisms": ["gdp(mu=1)", "laplace(scale=2)^2"]}}]"#,
    ] {
        assert_eq!(serde_json::from_str::<Composition>(text).expect(text), wanted);
    }
}

#[test]
fn toml() {
    let text = "[[mechanism]]\nname = \"discrete-gaussian\"\nsigma2 = \"120000/1729\"\ntimes = 9\n\n\
        [[mechanism]]\nname = \"approx-dp\"\nepsilon = { ln = \"3/2\" }\ndelta = 1e-6\n\n\
        [[mechanism]]\nname = \"finite\"\np = [\"1/2\", 0.5]\nq = [0, 1]\n";
    assert_eq!(
        file::read(text).unwrap().to_string(),
        "discrete-gaussian(sigma2=120000/1729)^9 * approx-dp(epsilon=ln(3/2), delta=1/1000000) * \
         finite(p=[1/2, 1/2], q=[0, 1])"
    );
    let inner = [
        "mechanism = { name = \"gaussian\", sigma = 2 }",
        "mechanism = \"gaussian(sigma=2)\"",
        "[mechanism.mechanism]\nname = \"gaussian\"\nsigma = 2",
    ];
    for inner in inner {
        let text = format!("[[mechanism]]\nname = \"poisson\"\nrate = 0.01\ntimes = 1000\n{inner}\n");
        assert_eq!(file::read(&text).unwrap().to_string(), "poisson(rate=1/100, gaussian(sigma=2))^1000", "{text}");
    }
    let deep = format!(
        "{}{}{}",
        "mechanism = { name = \"poisson\", rate = 1, ".repeat(60),
        "mechanism = \"gdp(mu=1)\"",
        "}".repeat(60)
    );
    let deep = format!("[[mechanism]]\nname = \"poisson\"\nrate = 1\n{deep}\n");
    assert_eq!(file::read(&deep).unwrap().to_string(), "poisson(rate=1, gdp(mu=1))");
    for depth in [150, 100_000] {
        let header = format!(
            "[[mechanism]]\nname = \"poisson\"\nrate = 1\n[mechanism{}]\nname = \"gdp\"\nmu = 1\n",
            ".mechanism".repeat(depth)
        );
        assert!(file::read(&header).is_err());
    }
    // More digits than a double has: nothing was rounded.
    let digits = "[[mechanism]]\nname = \"gdp\"\nmu = 0.1000000000000000055511151231257827\n";
    assert_eq!(file::read(digits).unwrap(), composition("gdp(mu=1000000000000000055511151231257827/10^34)"));
    assert_eq!(file::read("# nothing left\n").unwrap_err(), (0, "there is no [[mechanism]] in this file".to_string()));
    for (text, line, part) in [
        ("[[mechanism]]\nname = \"gpd\"\nmu = 1\n", 2, "did you mean `gdp`?"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = -1\n", 3, "mu must be at least 0"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = inf\n", 3, "NaN and infinity"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = 1\ntimes = 1.5\n", 4, "times must be an integer"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = 1\nmu = 2\n", 4, "duplicate key"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = 0x10\n", 3, "must be decimal"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = true\n", 3, "expected a number or a string"),
        ("[[mechanism]]\nname = \"gdp\"\nsigma = 1\n", 3, "gdp has no parameter `sigma`"),
        ("[[mechanism]]\nmu = 1\n", 1, "has no name"),
        ("[[mechanism]]\nname = \"poisson\"\nrate = 0.1\nmechanism = { name = \"gpd\" }\n", 4, "did you mean `gdp`?"),
        ("[[mechanism]]\nname = \"poisson\"\nrate = 0.1\n\nmechanism = { mu = 1 }\n", 5, "has no name"),
        ("[[mechanism]]\nname = \"poisson\"\nrate = 0.1\nmechanism = \"gdp(mu=-1)\"\n", 4, "mu must be at least 0"),
        ("[[mechanism]]\nname = \"gdp\"\nmu = { name = \"gdp\", mu = 1 }\n", 3, "expected one function"),
        (
            "[[mechanism]]\nname = \"gdp\"\nmu = 1\nmechanism = { name = \"gdp\", mu = 1 }\n",
            4,
            "no parameter `mechanism`",
        ),
        ("[mechanism]\nname = \"gdp\"\n", 1, "two brackets"),
        ("\n[[mechanisms]]\nname = \"gdp\"\n", 2, "unknown key `mechanisms`"),
        ("[[mechanism]\n", 1, ""),
    ] {
        let (at, message) = file::read(text).expect_err(text);
        assert_eq!(text[..at].matches('\n').count() + 1, line, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn files() {
    let folder = std::env::temp_dir().join(format!("dpcert-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a census.toml");
    std::fs::write(&path, "[[mechanism]]\nname = \"gdp\"\nmu = 1\n").unwrap();
    let text = format!("(@\"{0}\" * gdp(mu=2))^3 * @\"{0}\"", path.display());
    assert_eq!(composition(&text).to_string(), "gdp(mu=1)^4 * gdp(mu=2)^3");
    std::fs::write(&path, "[[mechanism]]\nname = \"gdp\"\nmu = -1\n").unwrap();
    let error = Composition::parse(&text).unwrap_err();
    assert!(error.message().contains("a census.toml:3: mu must be at least 0, not -1"), "{error}");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(Composition::parse(&text).is_err());
    assert!(Composition::parse(&format!("@\"{}\"", folder.display())).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn hostile_texts_end_soon() {
    let long = (0..40_000).map(|n| format!("gdp(mu={n})")).collect::<Vec<_>>().join("*");
    assert_eq!(composition(&long).factors().len(), 40_000);
    let heavy = ["gdp(mu=9^2500000)"; 50_000].join("*");
    let deep = format!("{}gdp(mu=1){}", "(".repeat(199), ")^2".repeat(199));
    let p = vec!["1/100000"; 100_000].join(",");
    let finite = format!("finite(p=[{p}],q=[{p}])");
    let finite = if finite.len() > 1 << 20 { finite.replace("1/100000", "1e-5") } else { finite };
    let primes = (2..30_000).map(|n| format!("1/(10^100+{n})")).collect::<Vec<_>>().join(",");
    let denominators = format!("finite(p=[{primes}],q=[1])");
    let parentheses = "(".repeat(1_000_000);
    for text in [
        heavy.as_str(),
        &deep,
        &finite,
        &denominators,
        &parentheses,
        &"gdp(mu=1)*".repeat(100_000),
        &"a".repeat(100_000_000),
        "gdp(mu=1)^9^9^9^9",
        "gdp(mu=1)^(9^9^9^9)",
        "gdp(mu=1e1000000000)",
        "gdp(mu=1)^1e1000000000",
        "discrete-gaussian(sigma2=1e1000000000)",
        &"@".repeat(1000),
        &format!("gdp({})", "mu=1,".repeat(50_000)),
        &format!("{}gdp(mu=1){}", "poisson(rate=1/2,".repeat(199), ")".repeat(199)),
        &format!("{}gdp(mu=1){}", "poisson(rate=1/2,".repeat(200), ")".repeat(200)),
        &format!("{}gdp(mu=1){}", "poisson(rate=1/9^1000000,".repeat(100), ")".repeat(100)),
        &format!("{}gdp(mu=1){}", "poisson(rate=exp(-sqrt(2)),".repeat(199), ")".repeat(199)),
        &format!("{}gdp(mu=1){}", "poisson(rate=1/sqrt(3),".repeat(199), ")".repeat(199)),
        &format!("poisson(rate=1/2, {})", ["gdp(mu=1)"; 50_000].join("*")),
        &format!("poisson({})", "gdp(mu=1),".repeat(50_000)),
        &"poisson(".repeat(100_000),
    ] {
        let start = Instant::now();
        let result = Composition::parse(text);
        let spent = start.elapsed();
        let shown: String = text.chars().take(40).collect();
        assert!(spent < Duration::from_secs(30), "{shown} took {spent:?}");
        if spent > Duration::from_millis(300) {
            println!("{shown}: {spent:?}");
        }
        if let Err(error) = result {
            assert!(error.to_string().len() < 400, "{error}");
        }
    }
    assert_eq!(composition(&finite).factors().len(), 1);
}

/// Random well-defined compositions.
fn compositions() -> impl Strategy<Value = String> {
    let constant = prop_oneof![
        (1..50_u32, 1..50_u32).prop_map(|(p, q)| format!("{p}/{q}")),
        (2..50_u32).prop_map(|n| format!("sqrt({n})")),
        (2..50_u32).prop_map(|n| format!("ln({n})")),
        (1..9_u32, 2..50_u32).prop_map(|(a, n)| format!("{a} + ln({n})")),
        Just("exp(1)*ln(2)".to_string()),
    ];
    let leaf = prop_oneof![
        constant.clone().prop_map(|c| format!("gaussian(sigma={c})")),
        (constant.clone(), constant.clone()).prop_map(|(c, d)| format!("laplace(sensitivity={c}, scale={d})")),
        (constant.clone(), 0..99_u32).prop_map(|(c, n)| format!("approx-dp(epsilon={c}, delta={n}/99)")),
        (constant.clone(), 0..9_u32).prop_map(|(c, n)| format!("geometric(epsilon={c}, sensitivity={n})")),
        (constant, 0..9_u32).prop_map(|(c, n)| format!("staircase(epsilon={c}, gamma={n}/9)")),
        (1..50_u32).prop_map(|n| format!("discrete-gaussian(sigma=sqrt({n}))")),
        (0..9_u32).prop_map(|n| format!("finite(p=[{n}/9, 1-{n}/9], q=[1/2, 1/2])")),
    ];
    let leaf = leaf.prop_recursive(2, 3, 1, |inner| {
        prop_oneof![
            (0..9_u32, inner.clone()).prop_map(|(n, m)| format!("poisson(rate={n}/9, {m})")),
            (2..9_u32, inner).prop_map(|(n, m)| format!("poisson({m}, rate=1/sqrt({n}))")),
        ]
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} * {b}")),
            (inner, 0..5_u32).prop_map(|(a, n)| format!("({a})^{n}")),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_texts_never_panic(text in ".{0,80}") {
        let _ = Composition::parse_closed(&text);
        let _ = file::read(&text);
        let _ = serde_json::from_str::<Composition>(&text);
    }

    #[test]
    fn texts_of_the_alphabet_never_panic(
        text in "((gdp|gaussian|finite|mu|sigma|p|q|ln|sqrt|[0-9]{1,3})|[-=(),*^@\\[\\] /.]){0,25}"
    ) {
        if let Ok(value) = Composition::parse_closed(&text) {
            prop_assert_eq!(Composition::parse_closed(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn what_is_printed_is_read_back(text in compositions()) {
        let value = composition(&text);
        prop_assert_eq!(&composition(&value.to_string()), &value);
        let steps = serde_json::to_string(&value.steps()).unwrap();
        prop_assert_eq!(serde_json::from_str::<Composition>(&steps).unwrap(), value);
    }
}

/// The domains of the catalogue, which the loader's lint goes by, are those that the mechanisms take: it knows the same
/// mechanisms and parameters, and draws the same borders around each number.
#[test]
fn the_lint_of_vectors_agrees_with_the_catalogue() {
    let mut known: Vec<&str> = dpcert_vectors::mechanisms().collect();
    let mut ours: Vec<&str> = Mechanism::catalogue().iter().map(|entry| entry.name).collect();
    known.sort_unstable();
    ours.sort_unstable();
    assert_eq!(known, ours);
    for entry in Mechanism::catalogue() {
        let example = composition(entry.example);
        let factor = crate::vector::convert::factors(&example).expect("factors").remove(0);
        assert_eq!(dpcert_vectors::lint_factor(&factor), Vec::<String>::new(), "{}", entry.example);
        let numbers =
            |parameter: &&Parameter| matches!(parameter.kind(), catalogue::Kind::Real | catalogue::Kind::Integer);
        for parameter in entry.parameters.iter().filter(numbers) {
            if let Presence::InsteadOf(_) = parameter.presence {
                continue;
            }
            for value in ["-1", "0", "1/2", "1", "3/2", "2", "3"] {
                let mut factor = factor.clone();
                factor.times = 1;
                let number = dpcert_vectors::Exact::Rational(value.parse().expect("a fraction"));
                factor.parameters.insert(parameter.name.into(), dpcert_vectors::Parameter::Number(number));
                let text = dpcert_vectors::expression(std::slice::from_ref(&factor));
                let findings = dpcert_vectors::lint_factor(&factor);
                assert_eq!(text.parse::<Composition>().is_ok(), findings.is_empty(), "{text}: {findings:?}");
            }
            // Whether it may be left out.
            let mut without = factor.clone();
            without.times = 1;
            without.parameters.remove(parameter.name);
            let text = dpcert_vectors::expression(std::slice::from_ref(&without));
            let findings = dpcert_vectors::lint_factor(&without);
            assert_eq!(text.parse::<Composition>().is_ok(), findings.is_empty(), "{text}: {findings:?}");
        }
    }
}
