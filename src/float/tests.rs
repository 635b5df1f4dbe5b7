//! Values that were enclosed with ball arithmetic (Arb), and edges.
//!
//! A row holds the least and the greatest double that the documented bound of the careful form allows, and whether the
//! textbook form leaves them: so the table also shows that it would catch such code.

use super::registry::{Function, IMPLEMENTATIONS, Implementation};
use super::{discrete_gaussian, gaussian, kov, laplace, randomized_response};

type Row = (&'static str, &'static [f64], f64, f64, bool);

/// Formula, arguments, least and greatest value, does the textbook form fail?
#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("gaussian-delta", &[1.0, 0.0], 0.38292492254802607, 0.38292492254802635, false),
    ("gaussian-delta", &[1.0, 1.0], 0.12693673750664392, 0.126936737506644, true),
    ("gaussian-delta", &[3.0, 2.0], 0.6858741657160491, 0.6858741657160496, false),
    ("gaussian-delta", &[1.0, 5.0], 5.793721691919492e-07, 5.793721691919496e-07, true),
    ("gaussian-delta", &[1.0, 10.0], 9.812705826846953e-23, 9.81270582684696e-23, true),
    ("gaussian-delta", &[1.0, 30.0], 4.70932631809752e-193, 4.709326318097524e-193, true),
    ("gaussian-delta", &[0.5, 4.5], 5.635442175666706e-20, 5.63544217566671e-20, true),
    ("gaussian-delta", &[1e-17, 1e-17], 8.331547058768627e-19, 8.331547058768634e-19, true),
    ("gaussian-delta", &[0.001, 0.006], 1.5682673616415275e-13, 1.5682673616415287e-13, true),
    ("gaussian-delta", &[40.0, 800.0], 0.4900326648116985, 0.4900326648116989, true),
    ("gaussian-delta", &[7.0, 0.5], 0.9994039360876947, 0.9994039360876955, false),
    ("gaussian-delta", &[1e-300, 1e-300], 8.331547058768627e-302, 8.331547058768633e-302, true),
    ("gaussian-delta", &[1.4, 57.0], 0.0, 1e-323, false),
    ("gaussian-delta", &[2.0, -3.0], 0.9593644458409627, 0.9593644458409635, false),
    ("gaussian-delta", &[0.25, 0.3], 0.01620990941030994, 0.01620990941030995, true),
    ("gaussian-delta", &[0.26, 0.3], 0.01851087693973495, 0.018510876939734962, true),
    ("gaussian-beta", &[1.0, 0.05], 0.7404889771585557, 0.7404889771585562, false),
    ("gaussian-beta", &[1.0, 0.5], 0.158655253931457, 0.1586552539314571, false),
    ("gaussian-beta", &[0.5, 0.01], 0.9661010608771569, 0.9661010608771576, false),
    ("gaussian-beta", &[10.0, 0.5], 7.619853024160524e-24, 7.619853024160528e-24, true),
    ("gaussian-beta", &[1.0, 1e-17], 0.9999999999999661, 0.9999999999999669, true),
    ("gaussian-beta", &[1.0, 0.9999999999999999], 1.637686117373389e-20, 1.6376861173733902e-20, true),
    ("gaussian-beta", &[1e-17, 0.3], 0.6999999999999997, 0.7000000000000003, false),
    ("gaussian-beta", &[30.0, 1e-300], 0.9999999999990862, 0.999999999999087, true),
    ("gaussian-beta", &[37.0, 0.1], 1.0223189469673373e-279, 1.022318946967338e-279, true),
    ("kov-delta", &[0.1, 0.001, 30.0, 1.0], 0.039818410522130566, 0.039818410522130594, true),
    ("kov-delta", &[1.0, 0.0, 10.0, 4.0], 0.4305771445297563, 0.43057714452975665, true),
    ("kov-delta", &[0.1, 0.0, 1100.0, 10.0], 0.054207605344489485, 0.054207605344489526, true),
    ("kov-delta", &[0.1, 1e-20, 30.0, 4.0], 2.999999999999999e-19, 3.000000000000001e-19, true),
    ("kov-delta", &[800.0, 0.0, 1.0, 1.0], 0.9999999999999996, 1.0000000000000004, true),
    ("kov-delta", &[0.01, 0.0, 100000.0, 5.0], 0.3838284423507531, 0.38382844235075336, true),
    ("kov-delta", &[1e-09, 0.0, 10.0, 5e-09], 7.812500019531249e-11, 7.812500019531254e-11, true),
    ("kov-delta", &[1.0, 0.0, 1000.0, 700.0], 7.236544984615976e-20, 7.236544984615981e-20, true),
    ("kov-delta", &[0.5, 0.25, 1.0, 0.5], 0.2499999999999999, 0.2500000000000001, false),
    ("kov-delta", &[0.2, 1e-300, 3.0, 0.1], 0.1042570956193112, 0.10425709561931128, true),
    ("kov-delta", &[0.2, 0.0, 7.0, -0.3], 0.3402231290026129, 0.34022312900261314, true),
    ("randomized-response-kl", &[1e-17], 4.999999999999999e-35, 5.000000000000003e-35, true),
    ("randomized-response-kl", &[1e-09], 4.999999999999998e-19, 5.000000000000002e-19, true),
    ("randomized-response-kl", &[0.1], 0.004995837495787996, 0.0049958374957879996, true),
    ("randomized-response-kl", &[1.0], 0.46211715726000957, 0.46211715726000996, false),
    ("randomized-response-kl", &[3.0], 2.715444760934598, 2.7154447609346004, false),
    ("randomized-response-kl", &[710.0], 709.9999999999998, 710.0000000000002, true),
    ("randomized-response-tv", &[1e-17, 0.0], 4.999999999999999e-18, 5.000000000000002e-18, true),
    ("randomized-response-tv", &[1e-09, 1e-20], 5.000000000099998e-10, 5.000000000100002e-10, true),
    ("randomized-response-tv", &[1.0, 0.1], 0.5159054415340086, 0.515905441534009, false),
    ("randomized-response-tv", &[40.0, 0.0], 0.9999999999999996, 1.0000000000000002, false),
    ("randomized-response-chi2", &[1e-17], 9.999999999999997e-35, 1.0000000000000006e-34, true),
    ("randomized-response-chi2", &[1e-09], 9.999999999999997e-19, 1.0000000000000005e-18, true),
    ("randomized-response-chi2", &[1.0], 1.0861612696304872, 1.0861612696304879, false),
    ("randomized-response-chi2", &[400.0], 5.221469689764142e+173, 5.221469689764145e+173, true),
    ("randomized-response-chi2", &[709.0], 8.218407461554969e+307, 8.218407461554975e+307, true),
    ("randomized-response-renyi", &[1e-09, 2.0], 9.999999999999997e-19, 1.0000000000000005e-18, true),
    ("randomized-response-renyi", &[1.0, 1.0000000000000002], 0.4621171572600097, 0.46211715726001, true),
    ("randomized-response-renyi", &[1.0, 2.0], 0.7353256640555189, 0.7353256640555195, false),
    ("randomized-response-renyi", &[1.0, 10.0], 0.9651931464538411, 0.9651931464538419, false),
    ("randomized-response-renyi", &[1.0, 1000.0], 0.9996864247372186, 0.9996864247372194, true),
    ("randomized-response-renyi", &[0.001, 1.0], 4.999999583333374e-07, 4.999999583333377e-07, true),
    ("randomized-response-renyi", &[300.0, 1.5], 299.9999999999999, 300.0000000000001, false),
    ("laplace-delta", &[1.0, 0.3], 0.29531191028128645, 0.29531191028128667, false),
    ("laplace-delta", &[1.0, 0.9999999999999999], 5.55111512312578e-17, 5.551115123125784e-17, true),
    ("laplace-delta", &[1e-17, 0.0], 4.999999999999999e-18, 5.000000000000002e-18, true),
    ("laplace-delta", &[1.0, -0.5], 0.5276334472589851, 0.5276334472589854, false),
    ("laplace-delta", &[1.0, -2.0], 0.864664716763387, 0.8646647167633876, true),
    ("laplace-beta", &[1.0, 0.1], 0.7281718171540952, 0.7281718171540957, false),
    ("laplace-beta", &[1.0, 0.3], 0.30656620097620185, 0.3065662009762021, false),
    ("laplace-beta", &[1.0, 0.7], 0.11036383235143267, 0.11036383235143275, false),
    ("laplace-beta", &[720.0, 1e-320], 0.9999999507935381, 0.9999999507935389, true),
    ("laplace-beta", &[740.0, 0.25], 4.1e-322, 4.25e-322, false),
    ("laplace-beta", &[1e-09, 0.5], 0.4999999994999998, 0.4999999995000002, false),
    ("laplace-beta", &[1.0, 0.9999999999999999], 4.0842822587477086e-17, 4.084282258747712e-17, false),
    ("laplace-kl", &[1e-09], 4.999999998333332e-19, 4.999999998333335e-19, true),
    ("laplace-kl", &[3e-08], 4.499999954999998e-16, 4.499999955000001e-16, true),
    ("laplace-kl", &[1.0], 0.36787944117144217, 0.36787944117144245, false),
    ("laplace-kl", &[50.0], 48.99999999999998, 49.00000000000002, false),
    ("laplace-renyi", &[1.0, 2.0], 0.6191236299985927, 0.619123629998593, false),
    ("laplace-renyi", &[1e-09, 2.0], 9.999999996666665e-19, 9.99999999666667e-19, true),
    ("laplace-renyi", &[1.0, 1.0000000000000002], 0.3678794411714423, 0.36787944117144256, true),
    ("laplace-renyi", &[2.0, 500.0], 1.9986129325045556, 1.9986129325045572, true),
    ("laplace-renyi", &[0.0001, 1.0001], 5.000333320832832e-09, 5.000333320832835e-09, true),
    ("laplace-renyi", &[1.0, 1.0], 0.36787944117144217, 0.36787944117144245, true),
    ("discrete-gaussian-delta", &[1.0, 1.0, 1.0], 0.14135133940562186, 0.14135133940562195, true),
    ("discrete-gaussian-delta", &[4.0, 1.0, 0.5], 0.0540072236941544, 0.05400722369415444, false),
    ("discrete-gaussian-delta", &[0.25, 1.0, 1.0], 0.6032048691666062, 0.6032048691666066, false),
    ("discrete-gaussian-delta", &[1.0, 1.0, 14.0], 4.314814868331412e-44, 4.314814868331415e-44, true),
    ("discrete-gaussian-delta", &[100.0, 1.0, 1.0], 1.2792408567160935e-25, 1.2792408567160945e-25, true),
    ("discrete-gaussian-delta", &[0.001, 1.0, 600.0], 7.124576406741357e-218, 7.124576406741362e-218, true),
    ("discrete-gaussian-delta", &[1.0, 1.0, -0.5], 0.5171911708893443, 0.5171911708893446, false),
    ("discrete-gaussian-delta", &[69.40427993059572, 9.0, 2.32], 9.893509190507164e-12, 9.893509190507171e-12, true),
    ("discrete-gaussian-delta", &[100000.0, 1.0, 0.01], 6.767333397357551e-07, 6.767333397357556e-07, true),
    ("discrete-gaussian-delta", &[100.0, 1000.0, 3.0], 0.6218460717317352, 0.6218460717317357, true),
    ("discrete-gaussian-delta", &[0.25, 3.0, 5.0], 0.5700041727945234, 0.5700041727945239, false),
    ("discrete-gaussian-delta", &[2.0, 7.0, 1.0], 0.46537970343246415, 0.4653797034324645, false),
    ("discrete-gaussian-delta", &[0.1, 2.0, 30.0], 2.704091904596288e-11, 2.70409190459629e-11, true),
    ("gaussian-epsilon", &[1.0, 1e-20], 9.510936240574377, 9.510936240574384, true),
    ("gaussian-epsilon", &[1.0, 1e-300], 37.448847912139094, 37.448847912139115, true),
    ("gaussian-epsilon", &[0.001, 1e-12], 0.00569954646842628, 0.0056995464684262845, true),
    ("gaussian-epsilon", &[50.0, 1e-05], 1462.2850159647792, 1462.2850159647803, true),
    ("gaussian-epsilon", &[1.0, 0.3], 0.27661739889684944, 0.27661739889684966, false),
    ("gaussian-epsilon", &[50.0, 0.9999999999999999], 838.431047883622, 838.4310478836226, true),
    ("kov-epsilon", &[0.1, 0.0, 1100.0, 1e-06], 20.565218704326735, 20.56521870432675, true),
    ("kov-epsilon", &[1.0, 0.0, 10.0, 0.5], 3.7362915588338037, 3.7362915588338064, true),
    ("kov-epsilon", &[0.1, 1e-20, 30.0, 1e-18], 2.999999999825884, 2.9999999998258864, true),
    ("kov-epsilon", &[1.0, 1e-06, 10.0, 0.0001], 9.997933792725195, 9.997933792725203, true),
    ("kov-epsilon", &[40.0, 0.0, 3.0, 0.999], 113.0922447210178, 113.09224472101789, true),
];

fn call(implementation: &Implementation, arguments: &[f64]) -> f64 {
    match (implementation.function, arguments) {
        (Function::Constant(f), &[a]) => f(a),
        (Function::Curve(f), &[a, b]) => f(a, b),
        (Function::Composition(f), &[a, b, k, c]) => f(a, b, k as u64, c),
        (Function::Power(f), &[a, n, b]) => f(a, n as u64, b),
        _ => f64::NAN,
    }
}

fn find(formula: &str, form: &str) -> Option<&'static Implementation> {
    IMPLEMENTATIONS.iter().find(|implementation| {
        implementation.name.strip_suffix(form).is_some_and(|name| name.strip_suffix('/') == Some(formula))
    })
}

#[test]
fn careful_forms_are_within_their_bounds() {
    for (formula, arguments, least, greatest, _) in ROWS {
        let value = find(formula, "careful").map_or(f64::NAN, |careful| call(careful, arguments));
        assert!(
            *least <= value && value <= *greatest,
            "{formula}{arguments:?} = {value:e}, not in [{least:e}, {greatest:e}]"
        );
    }
}

#[test]
fn textbook_forms_fail_where_the_table_says_so() {
    for (formula, arguments, least, greatest, fails) in ROWS.iter().filter(|row| row.4) {
        let value = find(formula, "textbook").map_or(*least, |textbook| call(textbook, arguments));
        assert_eq!(!(*least <= value && value <= *greatest), *fails, "{formula}{arguments:?} = {value:e}");
    }
}

#[test]
fn names_are_unique_and_each_formula_has_both_forms() {
    for (i, implementation) in IMPLEMENTATIONS.iter().enumerate() {
        assert!(IMPLEMENTATIONS.iter().skip(i + 1).all(|other| other.name != implementation.name));
        let formula = implementation.name.split('/').next().unwrap_or_default();
        assert!(find(formula, "textbook").is_some() && find(formula, "careful").is_some());
        assert!(ROWS.iter().any(|row| row.0 == formula), "{formula} has no row");
    }
}

#[test]
fn nan_goes_through() {
    for implementation in IMPLEMENTATIONS.iter().filter(|implementation| implementation.bound.is_some()) {
        let arity = match implementation.function {
            Function::Constant(_) => 1,
            Function::Curve(_) => 2,
            Function::Power(_) => 3,
            Function::Composition(_) => 4,
        };
        for place in 0..arity {
            let count =
                matches!((implementation.function, place), (Function::Power(_), 1) | (Function::Composition(_), 2));
            let mut arguments = vec![1.0; arity];
            if !count {
                arguments[place] = f64::NAN;
                assert!(call(implementation, &arguments).is_nan(), "{} at {place}", implementation.name);
            }
        }
    }
}

#[test]
fn edges() {
    const INF: f64 = f64::INFINITY;
    assert_eq!(gaussian::careful::delta(1.0, INF), 0.0);
    assert_eq!(gaussian::careful::delta(1.0, -INF), 1.0);
    assert_eq!(gaussian::careful::delta(0.0, 1.0), 0.0);
    assert_eq!(gaussian::careful::delta(INF, 1.0), 1.0);
    assert_eq!(gaussian::careful::epsilon(1.0, 0.0), INF);
    assert_eq!(gaussian::careful::epsilon(1.0, 0.4), 0.0);
    assert_eq!(gaussian::careful::epsilon(1.0, 1.0), 0.0);
    assert_eq!(gaussian::careful::tradeoff(1.0, 0.0), 1.0);
    assert_eq!(gaussian::careful::tradeoff(1.0, 1.0), 0.0);
    assert_eq!(gaussian::careful::tradeoff(0.0, 0.25), 0.75);
    assert_eq!(kov::careful::delta(1.0, 0.5, 0, 0.0), 0.0);
    assert_eq!(kov::careful::delta(1.0, 0.5, 2, INF), 0.75);
    assert_eq!(kov::careful::delta(1.0, 1.0, 1, 0.0), 1.0);
    assert_eq!(kov::careful::delta(0.0, 0.5, 1, 0.0), 0.5);
    // Exact ties with the mass at infinity.
    assert_eq!(kov::careful::epsilon(0.5, 0.25, 1, 0.25), 0.5);
    assert_eq!(kov::careful::epsilon(0.5, 0.5, 2, 0.75), 1.0);
    assert_eq!(kov::careful::epsilon(0.5, 0.5, 2, 0.7), INF);
    assert_eq!(kov::careful::epsilon(0.5, 0.0, 4, 0.0), 2.0);
    assert_eq!(randomized_response::careful::kl(INF), INF);
    assert_eq!(randomized_response::careful::total_variation(INF, 0.25), 1.0);
    assert_eq!(randomized_response::careful::chi_squared(INF), INF);
    assert_eq!(randomized_response::careful::renyi(2.0, INF), 2.0);
    assert_eq!(laplace::careful::delta(1.0, 1.0), 0.0);
    assert_eq!(laplace::careful::tradeoff(INF, 0.5), 0.0);
    assert_eq!(laplace::careful::renyi(2.0, INF), 2.0);
    assert_eq!(discrete_gaussian::careful::delta(1.0, 0, 1.0), 0.0);
    assert_eq!(discrete_gaussian::careful::delta(1.0, 1, INF), 0.0);
    assert_eq!(discrete_gaussian::careful::delta(1e-200, 1, 1.0), 1.0);
}

#[test]
fn profiles_fall_as_epsilon_grows() {
    let profiles: [&dyn Fn(f64) -> f64; 4] = [
        &|epsilon| gaussian::careful::delta(1.5, epsilon),
        &|epsilon| kov::careful::delta(0.5, 1e-9, 20, epsilon),
        &|epsilon| laplace::careful::delta(3.0, epsilon),
        &|epsilon| discrete_gaussian::careful::delta(3.0, 2, epsilon),
    ];
    for profile in profiles {
        let values: Vec<f64> = (-40..400).map(|step| profile(f64::from(step) * 0.05)).collect();
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}

/// At the least double where the profile is not above delta, it is not; one double earlier it is.
#[test]
fn inverses_are_crossings() {
    for delta in [1e-300, 1e-12, 0.1, 0.2] {
        let epsilon = gaussian::careful::epsilon(1.0, delta);
        assert!(
            gaussian::careful::delta(1.0, epsilon) <= delta
                && delta <= gaussian::careful::delta(1.0, epsilon.next_down())
        );
        let epsilon = kov::careful::epsilon(0.1, 0.0, 30, delta);
        assert!(
            kov::careful::delta(0.1, 0.0, 30, epsilon) <= delta
                && delta <= kov::careful::delta(0.1, 0.0, 30, epsilon.next_down())
        );
    }
}
