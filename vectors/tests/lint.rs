//! Each rule of the lint: a clean file is damaged in one way, and exactly that is found.

use dpcert_vectors::{
    Answer, At, Bound, Case, Direction, Double, Dyadic, Exact, Factor, Kind, Limit, Order, Other, Parameter, Quantity,
    Relation, VectorFile, VectorSet, Witness, expression, lint_file, lint_set, load_str,
};
use num_rational::BigRational;

const NAME: &str = "rr-delta.json";

fn clean() -> VectorFile {
    load_str(NAME, include_str!("fixtures/rr-delta.json")).unwrap()
}

/// The findings after the damage, without the name of the file.
fn findings(damage: impl FnOnce(&mut VectorFile)) -> Vec<String> {
    let mut file = clean();
    damage(&mut file);
    assert_ne!(file, clean(), "no damage was done");
    lint_file(NAME, &file).iter().map(|finding| finding.to_string().replacen("rr-delta.json: ", "", 1)).collect()
}

fn rational(p: i64, q: i64) -> BigRational {
    BigRational::new(p.into(), q.into())
}

fn number(text: &str) -> Parameter {
    Parameter::Number(Exact::Rational(text.parse().unwrap()))
}

fn list(text: &str) -> Parameter {
    Parameter::List(text.split(' ').map(|number| Exact::Rational(number.parse().unwrap())).collect())
}

fn factor(mechanism: &str, parameters: &[(&str, Parameter)]) -> Factor {
    Factor {
        mechanism: mechanism.to_owned(),
        parameters: parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        of: Vec::new(),
        times: 1,
        sought: false,
    }
}

#[test]
fn the_clean_file_is_clean() {
    assert_eq!(lint_file(NAME, &clean()), []);
    assert_eq!(lint_file("some/folder/rr-delta.json", &clean()), []);
}

type Damage = fn(&mut VectorFile);

#[test]
fn headers_ids_and_words() {
    let cases: &[(Damage, &[&str])] = &[
        (|f| f.title = " ".into(), &["title is empty"]),
        (|f| f.about.clear(), &["about is empty"]),
        (
            |f| f.cases.clear(),
            &[
                "no cases",
                r#"flag "LN_EPSILON" is not used by any case"#,
                r#"statement "MECH-RR" is not used by any case"#,
            ],
        ),
        (|f| drop(f.flags.insert("UNUSED".into(), "x".into())), &[r#"flag "UNUSED" is not used by any case"#]),
        (|f| drop(f.flags.insert("LN_EPSILON".into(), "".into())), &[r#"flag "LN_EPSILON" has no explanation"#]),
        (
            |f| {
                f.flags.insert("lower".into(), "x".into());
                f.cases[0].flags.push("lower".into());
            },
            &[r#"flag "lower" must be upper case with underscores, such as TINY_DELTA"#],
        ),
        (|f| f.cases[2].flags.push("NEW".into()), &[r#"rr-delta-0003: flag "NEW" is not in the dictionary"#]),
        (|f| f.cases[0].flags.push("LN_EPSILON".into()), &[r#"rr-delta-0001: duplicate flag "LN_EPSILON""#]),
        (|f| f.cases[0].statement = "other".into(), &[r#"rr-delta-0001: statement "other" is not in the dictionary"#]),
        (|f| drop(f.statements.insert("MECH-RR".into(), "".into())), &[r#"statement "MECH-RR" has no explanation"#]),
        (|f| drop(f.statements.insert("X".into(), "y".into())), &[r#"statement "X" is not used by any case"#]),
        (|f| f.cases[1].id = "rr-delta-0001".into(), &["rr-delta-0001: duplicate id in this file"]),
        (|f| f.cases[1].id = "rr-beta-0002".into(), &["rr-beta-0002: id must begin with rr-delta-"]),
        (
            |f| f.cases[1].id = "rr-delta-002".into(),
            &[r#"rr-delta-002: id must end in a number such as 0017, not "002""#],
        ),
        (
            |f| f.cases[1].id = "rr-delta-00002".into(),
            &[r#"rr-delta-00002: id must end in a number such as 0017, not "00002""#],
        ),
        (
            |f| f.cases[1].id = "rr-delta-000x".into(),
            &[r#"rr-delta-000x: id must end in a number such as 0017, not "000x""#],
        ),
        (|f| f.cases[1].id = "rr-delta-10002".into(), &[]),
        (|f| f.cases[1].comment = "\t".into(), &["rr-delta-0002: comment is empty"]),
        (|f| f.cases[1].routes.truncate(1), &["rr-delta-0002: fewer than two distinct routes"]),
        (
            |f| f.cases[1].routes[1] = f.cases[1].routes[0].clone(),
            &["rr-delta-0002: fewer than two distinct routes", "rr-delta-0002: empty or duplicate route"],
        ),
        (|f| f.cases[1].routes.push("closed-form".into()), &["rr-delta-0002: empty or duplicate route"]),
        (|f| f.cases[1].direction = Direction::Backward, &[]),
        (|f| f.cases[1].bound = Some(Bound::Upper), &[]),
        (
            |f| f.cases[1].bound = Some(Bound::Lower),
            &["rr-delta-0002: a guarantee gives no bound of delta on this side"],
        ),
        (
            |f| f.cases[1].limit = Some(Limit::Edgeworth { order: 4 }),
            &[
                "rr-delta-0002: delta takes no limit theorem",
                "rr-delta-0002: order of an Edgeworth expansion must be 0 to 3",
            ],
        ),
    ];
    for (damage, expected) in cases {
        assert_eq!(findings(damage), *expected);
    }
}

#[test]
fn names_of_files_and_families() {
    let reasons = |name: &str| lint_file(name, &clean()).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(reasons("rr-beta.json"), ["rr-beta.json: file must be named rr-delta.json"]);
    assert_eq!(reasons("xrr-delta.json"), ["xrr-delta.json: file must be named rr-delta.json"]);
    for family in ["", "Kov", "kov-", "-kov", "kov--x", "1kov", "k_v"] {
        let found = findings(|file| file.family = family.to_owned());
        assert_eq!(found[0], format!("family {family:?} is not a slug such as kov or discrete-gaussian"));
    }
}

#[test]
fn ids_are_unique_across_files() {
    let mut second = clean();
    second.family = "other".into();
    let files = [(NAME.to_owned(), clean()), ("other-delta.json".to_owned(), second)].into();
    let twice: Vec<String> = lint_set(&VectorSet { files })
        .iter()
        .map(ToString::to_string)
        .filter(|finding| finding.contains("also"))
        .collect();
    assert_eq!(twice.len(), 4);
    assert_eq!(twice[0], "rr-delta.json: rr-delta-0001: id is also used in other-delta.json");
}

#[test]
fn points_match_the_quantity() {
    let at = |epsilon: Option<Exact>, delta: Option<Exact>| At { epsilon, delta, ..At::default() };
    let zero = || Some(Exact::from(0));
    let cases = [
        (at(None, None), vec!["delta needs a value of epsilon"]),
        (at(zero(), zero()), vec!["delta takes no delta"]),
        // A profile is defined at every real epsilon.
        (at(Some((-1).into()), None), vec![]),
        (at(Some(Exact::Ln(rational(1, 2).into())), None), vec![]),
        (at(Some(Exact::Ln(0.into())), None), vec!["at epsilon: ln(0) is undefined"]),
        (at(Some(Exact::Sqrt((-2).into())), None), vec!["at epsilon: sqrt(-2) is undefined"]),
        (at(Some(Exact::Expr(" ".into())), None), vec!["at epsilon: empty expression"]),
        (at(Some(Exact::Expr("2*ln(3/2)".into())), None), vec![]),
    ];
    for (at, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|reason| format!("rr-delta-0001: {reason}")).collect();
        assert_eq!(findings(|file| file.cases[0].at = at), expected);
    }
    let needs = |quantity: Quantity| findings(|file| file.quantity = quantity).join("\n");
    assert!(needs(Quantity::Beta).contains("rr-delta-0001: beta needs a value of alpha"));
    assert!(needs(Quantity::Renyi).contains("rr-delta-0001: renyi needs a value of order"));
    assert!(needs(Quantity::Epsilon).contains("rr-delta-0001: epsilon needs a value of delta"));
    assert!(needs(Quantity::Kl).contains("rr-delta-0001: kl takes no epsilon"));
    assert!(needs(Quantity::LimitDelta).contains("rr-delta-0001: limit-delta needs a limit theorem"));
}

/// A calibration looks for one number, and is asked at two coordinates that belong together; nothing else looks for
/// any.
#[test]
fn calibrations_look_for_one_number() {
    let calibration = |at: At, epsilon: Parameter| {
        findings(|file| {
            file.quantity = Quantity::Calibrate;
            file.cases.truncate(1);
            file.cases[0].at = at.clone();
            file.cases[0].parameters[0].parameters.insert("epsilon".into(), epsilon.clone());
        })
        .join("\n")
    };
    let half = || Some(Exact::from(rational(1, 2)));
    let profile = || At { epsilon: half(), delta: half(), ..At::default() };
    let told = calibration(profile(), Parameter::Unknown);
    assert!(!told.contains("asked at") && !told.contains("looks for"), "{told}");
    let told = calibration(At { alpha: half(), beta: half(), ..At::default() }, Parameter::Unknown);
    assert!(!told.contains("asked at"), "{told}");
    assert!(calibration(profile(), number("1")).contains("calibrate: number of unknown parameters must be 1, not 0"));
    let mixed = calibration(At { epsilon: half(), beta: half(), ..At::default() }, Parameter::Unknown);
    assert!(mixed.contains("takes no beta") && mixed.contains("needs a value of delta"), "{mixed}");
    let outside = At { alpha: half(), beta: Some(2.into()), ..At::default() };
    assert!(calibration(outside, Parameter::Unknown).contains("at beta: "));
    let weights = |list: &str| calibration(profile(), serde_json::from_str::<Parameter>(list).unwrap());
    assert!(weights(r#"["1/2", "?", "rest"]"#).contains("epsilon: expected a number, found a list"));
    let none = findings(|file| {
        file.cases[0].parameters[0].parameters.insert("epsilon".into(), Parameter::Unknown);
    });
    assert!(none.join("\n").contains("delta: number of unknown parameters must be 0, not 1"), "{none:?}");
}

/// Among the weights of a mixture one is looked for, and another one is what the others leave.
#[test]
fn a_weight_is_looked_for_beside_the_rest() {
    let told = |weights: &str| {
        findings(|file| {
            file.quantity = Quantity::Calibrate;
            file.cases.truncate(1);
            let half = || Some(Exact::from(rational(1, 2)));
            file.cases[0].at = At { epsilon: half(), delta: half(), ..At::default() };
            let factor = file.cases[0].parameters[0].clone();
            let of = vec![factor.clone(), factor.clone(), factor.clone()];
            let read = serde_json::from_str::<Parameter>(weights).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), weights);
            let parameters = [("weights".to_owned(), read)].into();
            let mixture = Factor { mechanism: "mixture".into(), parameters, of, times: 1, sought: false };
            file.cases[0].mechanism = dpcert_vectors::expression(std::slice::from_ref(&mixture));
            file.cases[0].parameters[0] = mixture;
        })
        .join("\n")
    };
    let fine = told(r#"["1/2","?","rest"]"#);
    assert!(!fine.contains("weights") && !fine.contains("looks for"), "{fine}");
    for (weights, wrong) in [
        (r#"["1/2","1/4","rest"]"#, "exactly one weight must be `?` and one `rest`"),
        (r#"["?","rest","rest"]"#, "exactly one weight must be `?` and one `rest`"),
        (r#"["?","?","rest"]"#, "calibrate: number of unknown parameters must be 1, not 2"),
        (r#"["1","?","rest"]"#, "the other weights sum to 1, which leaves no weight"),
        (r#"["-1","?","rest"]"#, "-1 is not a rational probability"),
        (r#"["?","rest"]"#, "each of the 3 mechanisms needs a weight"),
    ] {
        let told = told(weights);
        assert!(told.contains(wrong), "{weights}: {told}");
    }
    assert!(serde_json::from_str::<Parameter>(r#"["others"]"#).is_err());
}

/// An order of two compositions, with a witness: clean, and damaged in one way each.
#[test]
fn orders_have_witnesses_for_what_fails() {
    let answer = |numerator: i64, denominator: i64| Answer::exact(rational(numerator, denominator), 80).unwrap();
    let order = |damage: fn(&mut Case)| {
        findings(|file| {
            file.quantity = Quantity::Order;
            file.cases.truncate(1);
            let case = &mut file.cases[0];
            case.id = "rr-order-0001".into();
            case.at = At::default();
            case.direction = Direction::Forward;
            case.other = Some(Other { mechanism: case.mechanism.clone(), parameters: case.parameters.clone() });
            case.answer = Answer::order(Order::LessPrivate);
            let at = At { alpha: Some(rational(1, 2).into()), ..At::default() };
            let direction = Direction::Forward;
            let (first, second) = (answer(1, 4), answer(1, 3));
            case.witnesses = vec![Witness { against: Relation::AtLeast, at, direction, first, second }];
            damage(case);
        })
        .into_iter()
        .filter(|finding| finding.contains("rr-order-0001"))
        .collect::<Vec<_>>()
        .join("\n")
    };
    assert_eq!(order(|_| {}), "");
    type Harm = fn(&mut Case);
    let damages: [(Harm, &str); 17] = [
        (|case| case.other = None, "needs a second mechanism (`other`)"),
        (|case| case.other.as_mut().unwrap().parameters.clear(), "other mechanism has no factors"),
        (
            |case| case.other.as_mut().unwrap().mechanism = "gdp(mu=1)".into(),
            "other mechanism: mechanism does not match",
        ),
        (
            |case| drop(case.other.as_mut().unwrap().parameters[0].parameters.insert("epsilon".into(), number("-1"))),
            "other mechanism: ",
        ),
        (
            |case| {
                drop(case.other.as_mut().unwrap().parameters[0].parameters.insert("epsilon".into(), Parameter::Unknown))
            },
            "other mechanism has an unknown parameter",
        ),
        (|case| case.direction = Direction::Backward, "direction of an order must be forward or worst"),
        (|case| case.direction = Direction::Worst, "direction does not match the case"),
        (|case| case.witnesses.clear(), "less-private needs witnesses against at-least, not none"),
        (|case| case.witnesses.push(case.witnesses[0].clone()), "not at-least and at-least"),
        (|case| case.answer = Answer::order(Order::Equal), "equal needs witnesses against none, not at-least"),
        (|case| case.answer = Answer::order(Order::Incomparable), "needs witnesses against at-least and at-most"),
        (|case| case.answer = Answer::infinite(), "the answer is no order, but the quantity is order"),
        (
            |case| case.witnesses[0].first = case.witnesses[0].second.clone(),
            "the two enclosures do not refute the relation",
        ),
        (|case| case.witnesses[0].second = Answer::infinite(), "beta cannot be infinite"),
        (|case| case.witnesses[0].at = At::default(), "needs an alpha or an epsilon"),
        (|case| case.witnesses[0].at.alpha = Some(2.into()), "witness against at-least: "),
        // A larger delta of the first would show it, and not a smaller one.
        (
            |case| case.witnesses[0].at = At { epsilon: Some(1.into()), ..At::default() },
            "the two enclosures do not refute the relation",
        ),
    ];
    for (damage, expected) in damages {
        let told = order(damage);
        assert!(told.contains(expected), "{told} without {expected}");
    }
    let worst = order(|case| {
        case.direction = Direction::Worst;
        case.witnesses[0].direction = Direction::Worst;
    });
    assert!(worst.contains("a witness at an alpha needs direction forward or backward"), "{worst}");
    // What is no order has none of it.
    let none = findings(|file| file.cases[0].answer = Answer::order(Order::Equal));
    assert!(none.join("\n").contains("the answer is an order, but the quantity is delta"), "{none:?}");
    let none = findings(|file| {
        let case = &mut file.cases[0];
        case.other = Some(Other { mechanism: case.mechanism.clone(), parameters: case.parameters.clone() });
    });
    assert!(none.join("\n").contains("delta takes a single mechanism"), "{none:?}");
}

#[test]
fn parameters_are_in_their_domains() {
    let half = || list("1/2 1/2");
    let sqrt = |text: &str| Parameter::Number(Exact::Sqrt(text.parse().unwrap()));
    let ln = |text: &str| Parameter::Number(Exact::Ln(text.parse().unwrap()));
    let rr = |text| factor("randomized-response", &[("epsilon", number(text))]);
    let cases: Vec<(Factor, Vec<&str>)> = vec![
        (rr("1"), vec![]),
        (rr("0"), vec![]),
        (rr("-1/2"), vec!["randomized-response epsilon: -1/2 is not >= 0"]),
        (Factor { times: 0, ..rr("1") }, vec!["randomized-response has times 0; times must be at least 1"]),
        (
            Factor { times: 2, sought: true, ..rr("1") },
            vec![
                "randomized-response has times 2, but times must be 1 where it is the unknown",
                "delta: number of unknown parameters must be 0, not 1",
            ],
        ),
        (Factor { of: vec![rr("1")], ..rr("1") }, vec!["randomized-response takes no inner mechanism"]),
        (factor("gaussian", &[]), vec!["gaussian needs the parameter sigma"]),
        (factor("gaussian", &[("sigma", number("0"))]), vec!["gaussian sigma: 0 is not > 0"]),
        (factor("gaussian", &[("sigma", sqrt("2"))]), vec![]),
        (factor("gaussian", &[("sigma", ln("1"))]), vec!["gaussian sigma: ln(1) is not > 0"]),
        (factor("gaussian", &[("sigma", half())]), vec!["gaussian sigma: expected a number, found a list"]),
        (factor("gaussian", &[("sigma", number("1")), ("mu", number("1"))]), vec![r#"gaussian has no parameter "mu""#]),
        (factor("gaussian", &[("sigma", number("1")), ("sensitivity", number("2"))]), vec![]),
        (factor("normal", &[("sigma", number("1"))]), vec![r#"unknown mechanism "normal""#]),
        (
            factor("approx-dp", &[("epsilon", number("1")), ("delta", number("3/2"))]),
            vec!["approx-dp delta: 3/2 is not in [0, 1]"],
        ),
        (factor("approx-dp", &[("epsilon", number("1")), ("delta", sqrt("1/2"))]), vec![]),
        (
            factor("approx-dp", &[("epsilon", number("1")), ("delta", sqrt("2"))]),
            vec!["approx-dp delta: sqrt(2) is not in [0, 1]"],
        ),
        (factor("geometric", &[("epsilon", number("0")), ("sensitivity", number("1000"))]), vec![]),
        (
            factor("geometric", &[("epsilon", number("1")), ("sensitivity", number("1/2"))]),
            vec!["geometric sensitivity: 1/2 is not one of 0, 1, 2, ..."],
        ),
        (factor("finite", &[("p", half()), ("q", half())]), vec![]),
        (
            factor("finite", &[("p", half()), ("q", list("1/3 1/3"))]),
            vec!["finite q: the probabilities sum to 2/3, not to 1"],
        ),
        (factor("finite", &[("p", half()), ("q", list("1/3 1/3 1/3"))]), vec!["finite: p has 2 outcomes and q has 3"]),
        (factor("finite", &[("p", half()), ("q", list("-1 2"))]), vec!["finite q: -1 is not a rational probability"]),
        (factor("finite", &[("p", half()), ("q", number("1"))]), vec!["finite q: expected a list, found a number"]),
        (factor("poisson", &[("rate", number("1/100"))]), vec!["poisson needs an inner mechanism"]),
        (
            Factor {
                of: vec![factor("gaussian", &[("sigma", number("0"))])],
                ..factor("poisson", &[("rate", number("1/100"))])
            },
            vec!["gaussian sigma: 0 is not > 0"],
        ),
    ];
    for (factor, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|reason| format!("rr-delta-0001: {reason}")).collect();
        let found = findings(|file| {
            let case = &mut file.cases[0];
            case.parameters = vec![factor];
            case.mechanism = expression(&case.parameters);
            case.comment += ".";
        });
        assert_eq!(found, expected);
    }
    assert_eq!(findings(|file| file.cases[0].parameters.clear())[0], "rr-delta-0001: mechanism has no factors");
}

#[test]
fn the_expression_says_what_the_parameters_say() {
    let approx = factor("approx-dp", &[("delta", number("1/1000")), ("epsilon", number("1/10"))]);
    let gaussian =
        factor("gaussian", &[("sensitivity", number("1")), ("sigma", Parameter::Number(Exact::Sqrt(2.into())))]);
    let poisson = Factor {
        of: vec![Factor { times: 2, ..gaussian.clone() }],
        times: 1000,
        ..factor("poisson", &[("rate", number("1/100"))])
    };
    let finite = factor("finite", &[("p", list("1/2 1/2")), ("q", list("1/3 2/3"))]);
    assert_eq!(
        expression(&[Factor { times: 30, ..approx }, gaussian, poisson, finite]),
        "approx-dp(epsilon=1/10, delta=1/1000)^30 * gaussian(sigma=sqrt(2), sensitivity=1) \
         * poisson(rate=1/100, gaussian(sigma=sqrt(2), sensitivity=1)^2)^1000 * finite(p=[1/2, 1/2], q=[1/3, 2/3])"
    );
    assert_eq!(
        findings(|file| file.cases[0].mechanism = "randomized-response(epsilon=ln(5/2))".into()),
        [r#"rr-delta-0001: mechanism does not match parameters, which give "randomized-response(epsilon=ln(3/2))""#]
    );
    assert_eq!(findings(|file| file.cases[0].mechanism = "randomized-response( epsilon = ln(3/2) )".into()), [""; 0]);
}

#[test]
fn answers_are_consistent() {
    let dyadic = |text: &str| Some(text.parse::<Dyadic>().unwrap());
    let decimal = |text: &str| Some(text.parse().unwrap());
    let double = |value: f64| Some(Double(value));
    // Case 0 is 1/5, case 1 is 1/2, case 3 is 0.
    type Change<'a> = Box<dyn FnOnce(&mut Answer) + 'a>;
    let cases: Vec<(usize, Change, Vec<&str>)> = vec![
        (0, Box::new(|a| a.exact = None), vec!["an answer of kind exact needs exact"]),
        (0, Box::new(|a| a.kind = Kind::Enclosure), vec!["an answer of kind enclosure has no exact"]),
        (2, Box::new(|a| a.f64_lower = None), vec!["an answer of kind enclosure needs f64_lower"]),
        (2, Box::new(|a| a.upper_decimal = None), vec!["an answer of kind enclosure needs upper_decimal"]),
        (
            2,
            Box::new(|a| *a = Answer { lower: a.lower.take(), ..Answer::infinite() }),
            vec!["an answer of kind infinite has no lower", "delta cannot be infinite"],
        ),
        (0, Box::new(|a| a.exact = Some(rational(1, 4).into())), vec!["exact is not between lower and upper"]),
        (0, Box::new(|a| a.exact = Some(rational(1, 6).into())), vec!["exact is not between lower and upper"]),
        (2, Box::new(|a| std::mem::swap(&mut a.lower, &mut a.upper)), vec!["lower is above upper"]),
        (
            1,
            Box::new(|a| a.f64_lower = double(0.5f64.next_down())),
            vec!["f64_lower is 0x1.fffffffffffffp-2, but the tightest double is 0x1p-1"],
        ),
        (
            1,
            Box::new(|a| a.f64_upper = double(0.5f64.next_up())),
            vec!["f64_upper is 0x1.0000000000001p-1, but the tightest double is 0x1p-1"],
        ),
        (
            0,
            Box::new(|a| a.f64_lower = a.f64_upper),
            vec!["f64_lower is 0x1.999999999999ap-3, but the tightest double is 0x1.9999999999999p-3"],
        ),
        (3, Box::new(|a| a.f64_lower = double(-0.0)), vec!["f64_lower is -0x0p+0, but the tightest double is 0x0p+0"]),
        (
            1,
            Box::new(|a| a.lower_decimal = decimal("5.000000000000000000000000000000000000001e-1")),
            vec!["lower_decimal is above lower"],
        ),
        (1, Box::new(|a| a.lower_decimal = decimal("4.999999999999999999999999999999999999998e-1")), vec![]),
        (
            1,
            Box::new(|a| a.lower_decimal = decimal("4.999999999999999999999999999999999999997e-1")),
            vec!["lower_decimal is more than 2 units of its last digit from the exact value"],
        ),
        (
            1,
            Box::new(|a| a.upper_decimal = decimal("4.999999999999999999999999999999999999999e-1")),
            vec!["upper_decimal is below upper"],
        ),
        (1, Box::new(|a| a.upper_decimal = decimal("5.000000000000000000000000000000000000002e-1")), vec![]),
        (
            1,
            Box::new(|a| a.upper_decimal = decimal("5.000000000000000000000000000000000000003e-1")),
            vec!["upper_decimal is more than 2 units of its last digit from the exact value"],
        ),
        (1, Box::new(|a| a.upper_decimal = decimal("0.5")), vec!["upper_decimal has 1 significant digits, not 40"]),
        (3, Box::new(|a| a.upper_decimal = decimal("1e-40")), vec!["upper_decimal is not 0, but its exact value is 0"]),
        (
            1,
            Box::new(|a| *a = Answer::exact(rational(3, 2), 160).unwrap()),
            vec![
                "exact is above 1, but delta is at most 1",
                "lower is above 1, but delta is at most 1",
                "upper is above 1, but delta is at most 1",
            ],
        ),
        (
            1,
            Box::new(|a| *a = Answer::enclosure(dyadic("-0x1p-2000").unwrap(), dyadic("0x1p-2000").unwrap()).unwrap()),
            vec!["lower is negative"],
        ),
    ];
    for (index, change, expected) in cases {
        let expected: Vec<String> =
            expected.iter().map(|reason| format!("rr-delta-000{}: {reason}", index + 1)).collect();
        assert_eq!(findings(|file| change(&mut file.cases[index].answer)), expected);
    }
}

/// The constructors satisfy the lint where doubles fail: below the smallest and above the largest.
#[test]
fn made_answers_are_clean_beyond_the_doubles() {
    let mut file = clean();
    file.quantity = Quantity::Chi2;
    file.cases.truncate(1);
    let case = &mut file.cases[0];
    case.id = "rr-chi2-0001".into();
    case.at = At::default();
    let huge = "0x1.23p+5000".parse::<Dyadic>().unwrap();
    let tiny = "0x1.23p-13288".parse::<Dyadic>().unwrap();
    let next = "0x1.2300000001p-13288".parse::<Dyadic>().unwrap();
    for (answer, lower, upper) in [
        (Answer::exact(huge.to_rational(), 100).unwrap(), f64::MAX, f64::INFINITY),
        (Answer::enclosure(tiny, next).unwrap(), 0.0, f64::from_bits(1)),
        // floor(2^21 / 3) is 699050
        (Answer::exact(rational(1, 3), 20).unwrap(), 699_050.0 / 2_097_152.0, 699_051.0 / 2_097_152.0),
    ] {
        assert_eq!((answer.f64_lower, answer.f64_upper), (Some(Double(lower)), Some(Double(upper))));
        file.cases[0].answer = answer;
        assert_eq!(lint_file("rr-chi2.json", &file), []);
    }
}

/// Cumulants may be below 0, and nothing else is.
#[test]
fn signs_are_of_the_quantity() {
    let negative = Answer::exact(rational(-1, 3), 20).unwrap();
    for (quantity, signed) in [(Quantity::Cumulant, true), (Quantity::Renyi, false)] {
        let mut file = clean();
        file.quantity = quantity;
        file.cases.truncate(1);
        let case = &mut file.cases[0];
        case.id = format!("rr-{quantity}-0001");
        case.at = At { order: Some(rational(3, 1).into()), ..At::default() };
        case.answer = negative.clone();
        let found = lint_file(&format!("rr-{quantity}.json"), &file);
        let negatives = found.iter().filter(|finding| finding.reason.contains("is negative")).count();
        assert_eq!((found.len(), negatives), if signed { (0, 0) } else { (3, 3) }, "{found:?}");
    }
}
