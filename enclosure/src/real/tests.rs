use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn real(text: &str) -> Real {
    Real::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn rational(text: &str) -> Rational {
    real(text).as_rational().unwrap().clone()
}

#[test]
fn short_constants_have_few_terms_of_few_bits() {
    for short in ["0", "0.1", "-7/3", "sqrt(2)", "ln(3/2)", "2*sqrt(3) - ln(2)/7", "1e-18"] {
        assert!(real(short).is_short(), "{short}");
    }
    for long in
        ["exp(sqrt(2))", "2^200", "1/3^100", "ln(2^100+1)^3", "sqrt(2)+sqrt(3)+sqrt(5)", "ln(2^150+1)", "sqrt(2^150+1)"]
    {
        assert!(!real(long).is_short(), "{long}");
    }
}

#[test]
fn normal_forms() {
    for (given, printed) in [
        ("0.1", "1/10"),
        ("-.5", "-1/2"),
        ("1e-3", "1/1000"),
        ("1.5E+3", "1500"),
        ("6/4", "3/2"),
        ("sqrt(4)", "2"),
        ("sqrt(0)", "0"),
        ("sqrt(2)^2", "2"),
        ("sqrt(1/2)", "1/2*sqrt(2)"),
        ("sqrt(8)", "2*sqrt(2)"),
        ("sqrt(2)*sqrt(3)", "sqrt(6)"),
        ("sqrt(6)/sqrt(3)", "sqrt(2)"),
        ("sqrt(2) + sqrt(8)", "3*sqrt(2)"),
        // 1009 and 1013 are beyond the primes that are tried
        ("sqrt(1009^2*1013) - 1009*sqrt(1013)", "0"),
        ("sqrt(1009^2*1013) + sqrt(1013*1019^2)", "2028*sqrt(1013)"),
        ("1/(1+sqrt(2))", "-1 + sqrt(2)"),
        ("(1+sqrt(2))^-2", "3 - 2*sqrt(2)"),
        ("(sqrt(3)-sqrt(2))*(sqrt(3)+sqrt(2))", "1"),
        ("ln(1)", "0"),
        ("ln(2/3)", "-ln(3/2)"),
        ("1/2*ln(4)", "ln(2)"),
        ("ln(4)", "2*ln(2)"),
        ("ln(2)+ln(3)", "ln(6)"),
        ("ln(2)-ln(3)", "-ln(3/2)"),
        ("ln(8)/ln(2)", "3"),
        ("ln(2)/2 + ln(3)/3", "1/6*ln(72)"),
        ("10^9*ln(4/9)", "-2000000000*ln(3/2)"),
        ("ln(sqrt(2))", "1/2*ln(2)"),
        ("ln(exp(1))", "1"),
        ("ln(3*exp(sqrt(2)))", "sqrt(2) + ln(3)"),
        ("exp(ln(3/2))", "3/2"),
        ("exp(ln(4)/4)", "sqrt(2)"),
        ("exp(1 + ln(2))", "2*exp(1)"),
        ("exp(1)*exp(-1)", "1"),
        ("exp(1/2)^2", "exp(1)"),
        ("sqrt(exp(1))", "exp(1/2)"),
        ("exp(1)/exp(2)*2", "2*exp(-1)"),
        ("8^(1/3)", "2"),
        ("4^(3/2)", "8"),
        ("2^-1", "1/2"),
        ("-2^2", "-4"),
        ("(-2)^3", "-8"),
        ("2^3^2", "512"),
        ("2^-3^2", "1/512"),
        ("--1", "1"),
        ("0^0", "1"),
        ("0^(1/2)", "0"),
        ("(-1)^(10^30+1)", "-1"),
        ("sqrt(ln(2))^2", "ln(2)"),
        ("sqrt(ln(2))*sqrt(ln(2))/ln(2)", "1"),
        ("ln(2)*ln(3)/ln(3)", "ln(2)"),
        ("ln(2)*ln(3) - ln(3)*ln(2)", "0"),
        ("(1+ln(2))^2/(2+2*ln(2))", "1/2 + 1/2*ln(2)"),
        ("1/ln(2)", "ln(2)^-1"),
        ("2.56 + 2*sqrt(2.56*ln(1e11))", "64/25 + 2*sqrt(704/25*ln(10))"),
        ("f64:0.5", "1/2"),
        ("f64:0x1.8p-1", "3/4"),
        ("f64:-0x.8", "-1/2"),
        ("f64:0.1", "3602879701896397/36028797018963968"),
        ("f64:0x1.999999999999ap-4", "3602879701896397/36028797018963968"),
        (" ( 1 + 2 ) * 3 ", "9"),
    ] {
        let value = real(given);
        assert_eq!(value.to_string(), printed, "{given}");
        assert_eq!(real(&value.to_string()), value, "{given}");
    }
}

#[test]
fn what_is_refused_and_where() {
    for (given, column, part) in [
        ("", 1, "unexpected end, expected a number"),
        ("1/0", 3, "division by zero"),
        ("1/(sqrt(2)-sqrt(2))", 3, "division by zero"),
        ("ln(0)", 1, "positive numbers only"),
        ("1 + ln(1-sqrt(2))", 5, "positive numbers only"),
        ("sqrt(-1)", 1, "negative number"),
        ("sqrt(1-sqrt(2))", 1, "negative number"),
        ("0^-1", 3, "zero to a negative power"),
        ("0^(-1/2)", 3, "zero to a negative power"),
        ("(-8)^(1/3)", 6, "integer exponent"),
        ("(1+2", 1, "never closed"),
        ("1+2)", 4, "unmatched ')'"),
        ("(1+2]", 5, "expected ')'"),
        ("1 2", 3, "expected an operator or the end"),
        ("1e", 3, "digits of the exponent"),
        (".", 1, "without digits"),
        ("1..2", 3, "expected an operator or the end of the number"),
        ("0x10", 2, "end of the number"),
        ("2 \u{2212} 1", 3, "typographic minus"),
        ("nan", 1, "NaN and infinity"),
        ("-inf", 2, "NaN and infinity"),
        ("log(2)", 1, "write ln for the natural logarithm"),
        ("sin(2)", 1, "unknown name 'sin'"),
        ("sqrt 2", 6, "expected '(' after sqrt"),
        ("1 + f64:0x1.99999999999999ap-4", 9, "not exactly a double"),
        ("f64:1e400", 5, "not a finite double"),
        ("f64:nan", 5, "a double"),
        ("1/(ln(2)*ln(3) - ln(2)*ln(3))", 3, "division by zero"),
        // Truly zero, but no theorem that is used here says so.
        ("1/(sqrt(3+2*sqrt(2)) - 1 - sqrt(2))", 3, "cannot be decided"),
    ] {
        let error = Real::parse(given).expect_err(given);
        assert!(error.message().contains(part), "{given}: {error}");
        assert_eq!(error.column(), column, "{given}: {error}");
        assert!(!error.to_string().contains('\n'));
        assert_eq!(error.caret().lines().count(), 2);
    }
    assert_eq!(Real::parse("1 + ln(0)").unwrap_err().caret(), "  1 + ln(0)\n      ^");
}

#[test]
fn hostile_texts_end_soon() {
    let deep = "(".repeat(1_000_000);
    let closed = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    assert_eq!(real(&closed), Real::one());
    let nested = |function: &str, depth| format!("{}3{}", format!("{function}(1+").repeat(depth), ")".repeat(depth));
    let huge_products = ["9^2000000"; 2000].join("*1/");
    let huge_sums = (0..1500).map(|n| format!("1/9^{}", 5000 + n)).collect::<Vec<_>>().join("+");
    let logs = (2..1900).map(|n| format!("ln(1e100+{n})")).collect::<Vec<_>>().join("+");
    let roots = (2..1900).map(|n| format!("sqrt({n})")).collect::<Vec<_>>().join("+");
    let products = (2..600).map(|n| format!("(1+ln({n}))")).collect::<Vec<_>>().join("*");
    let tower = ["2"; 5000].join("^");
    let million = "1".repeat(1 << 20);
    let log_of_million = format!("ln({})", "1".repeat((1 << 20) - 4));
    let root_of_million = format!("sqrt({})", "1".repeat((1 << 20) - 6));
    let denominators = (0..2000).map(|n| format!("1/(7^10007+{n})")).collect::<Vec<_>>().join("+");
    let some_denominators = (0..70).map(|n| format!("1/(7^10007+{n})")).collect::<Vec<_>>().join("+");
    let fractions = (0..40).map(|n| format!("(7^{0}/11^{0})", 100_000 + n)).collect::<Vec<_>>().join("*");
    let big_fractions = ["(7^1000000+1)/11^1000000"; 20].join("*");
    let big_logs = (0..300).map(|n| format!("ln(7^10007+{n})")).collect::<Vec<_>>().join("+");
    let big_roots = (0..300).map(|n| format!("sqrt(7^10007+{n})")).collect::<Vec<_>>().join("+");
    let nested_logs = (0..190).fold("1".to_string(), |text, n| format!("(ln(7^{}+{n})+{text})", 1000 + n));
    let close = ["1/(ln(1+1e-75000)-1e-75000)"; 2000].join("+");
    let exponentials = (2..1500).map(|n| format!("exp(sqrt({n}))/(1+ln({n}))")).collect::<Vec<_>>().join("*");
    for text in [
        denominators.as_str(),
        &some_denominators,
        &fractions,
        &big_fractions,
        &big_logs,
        &big_roots,
        &nested_logs,
        &exponentials,
        &close,
        "2^(10^9)",
        "1/(ln(1+1e-2000000) - 1e-2000000)",
        "1e1000000000",
        "1e-1000000000",
        "1e99999999999999999999999",
        "9^9^9^9",
        "2^-(10^9)",
        "exp(1e9)",
        "exp(-1e9)",
        "exp(exp(100))",
        "sqrt(2)^(10^9)",
        "ln(2)^(10^18)",
        "(1+sqrt(2))^1000000",
        "(1+sqrt(2))^(10^7)",
        "ln(2^(8*10^6))",
        "ln(3^(10^6))/ln(3)",
        "(1e1000000+ln(2))^1000000",
        "(10^(10^6))^(10^6)",
        "f64:0x1p999999999",
        "f64:1e999999999",
        "sqrt(1e2000001)",
        "exp(ln(3)*10^9)",
        "ln(exp(ln(exp(1e8)+1))+1)",
        &deep,
        &nested("ln", 199),
        &nested("sqrt", 199),
        &nested("exp", 199),
        &huge_products,
        &huge_sums,
        &logs,
        &roots,
        &products,
        &tower,
        &million,
        &log_of_million,
        &root_of_million,
        &"-".repeat(1 << 20),
        &"1+".repeat(1 << 19),
        &"a".repeat(100_000_000),
        &format!("{}1{}", "(".repeat(201), ")".repeat(201)),
    ] {
        let start = Instant::now();
        let result = Real::parse(text);
        let spent = start.elapsed();
        let shown: String = text.chars().take(40).collect();
        assert!(spent < Duration::from_secs(30), "{shown} took {spent:?}");
        if spent > Duration::from_millis(300) {
            println!("{shown}: {spent:?}");
        }
        match result {
            Ok(value) => drop(value.enclosure(64)),
            Err(error) => assert!(error.to_string().len() < 400, "{error}"),
        }
    }
}

#[test]
fn exponentials_that_are_rational() {
    for (x, expected) in [
        ("0", Some("1")),
        ("ln(3/2)", Some("3/2")),
        ("-3*ln(3/2)", Some("8/27")),
        ("1/2*ln(4)", Some("2")),
        ("1/2*ln(2)", None),
        ("1/3*ln(8/27)", Some("2/3")),
        ("ln(2)/2 + ln(8)/2", Some("4")),
        ("ln(2)/2 + ln(3)/2", None),
        ("1", None),
        ("1 + ln(2)", None),
        ("sqrt(2)", None),
        ("10^9*ln(2)", None),
    ] {
        assert_eq!(real(x).exp_rational(), expected.map(rational), "{x}");
    }
}

#[test]
fn order_and_sign() {
    use Ordering::{Equal, Greater, Less};
    for (x, y, order) in [
        ("ln(3/2)", "0.405465108108164381978013115464349", Some(Greater)),
        ("ln(3/2)", "0.405465108108164381978013115464350", Some(Less)),
        ("sqrt(2)+sqrt(3)", "sqrt(5+sqrt(24))", None),
        ("sqrt(2)+sqrt(3)", "3.1462643699419723423", Some(Greater)),
        ("ln(2)+ln(3)", "ln(6)", Some(Equal)),
        ("100000*ln(3)", "ln(3^100000)", Some(Equal)),
        ("100000*ln(6)", "100000*ln(2)+ln(3^100000)", Some(Equal)),
        // The difference is about -10^-200.
        ("ln(1+1e-100)", "1e-100", Some(Less)),
        ("ln(1+1e-30000)", "1e-30000", Some(Less)),
        ("exp(1)", "2.718281828459045", Some(Greater)),
        ("exp(ln(2)^2)", "2^ln(2)", Some(Equal)),
        ("-1e-99999", "0", Some(Less)),
    ] {
        assert_eq!(real(x).compare(&real(y)), order, "{x} and {y}");
        assert_eq!(real(y).compare(&real(x)), order.map(Ordering::reverse), "{y} and {x}");
    }
}

#[test]
fn ratios() {
    for (x, y, ratio) in [
        ("3", "6", Some("1/2")),
        ("0", "ln(2)", Some("0")),
        ("1", "0", None),
        ("ln(8)", "ln(4)", Some("3/2")),
        ("ln(8)", "ln(3)", None),
        ("sqrt(8)", "sqrt(2)", Some("2")),
        ("sqrt(3)", "sqrt(2)", None),
        ("2+2*ln(2)", "1+ln(2)", Some("2")),
        ("2+ln(2)", "1+ln(2)", None),
        ("1", "ln(2)", None),
        ("3*exp(1)", "exp(1)/2", Some("6")),
    ] {
        assert_eq!(real(x).ratio(&real(y)), ratio.map(rational), "{x} / {y}");
        // Rational multiples of each other have one direction, and no others.
        let (one, two) = (real(x).direction(), real(y).direction());
        assert_eq!(one.is_some() && one == two, ratio.is_some_and(|ratio| ratio != "0"), "{x} / {y}");
    }
}

/// Reference values of 50 digits from an independent library; the truth is within one unit of the last place.
#[test]
fn enclosures_overlap_references() {
    for (text, value, places) in [
        ("ln(3/2)", "0.40546510810816438197801311546434913657199042346249", 50),
        ("exp(1)", "2.7182818284590452353602874713526624977572470936999", 49),
        ("sqrt(2)", "1.4142135623730950488016887242096980785696718753769", 49),
        ("2.56 + 2*sqrt(2.56*ln(1e11))", "18.664756591605143097204987718884299004834329928102", 48),
        ("(1+ln(2))*sqrt(3)/exp(sqrt(2)) - 7^0.3", "-1.0798217083760708467821062836174546995496807205268", 49),
    ] {
        let (middle, ulp) = (rational(value), rational(&format!("1e-{places}")));
        let reference = Enclosure::rational(&Rational::from(&middle - &ulp), 400)
            .hull(&Enclosure::rational(&Rational::from(&middle + &ulp), 400));
        for bits in [4, 53, 100, 160, 1000] {
            assert!(real(text).enclosure(bits).overlaps(&reference), "{text} at {bits}");
        }
    }
}

#[test]
fn accuracy_is_relative() {
    for text in [
        "ln(1+1e-300) - 1e-300",
        "sqrt(10^40+1) - 10^20",
        "1e-4000*ln(2)",
        "ln(2)*1e4000",
        "exp(1) - 2.718281828459045235360287471352662497757",
        "ln(1e-5000)",
        "exp(-100000)",
    ] {
        for bits in [8, 64, 500] {
            let value = real(text).enclosure(bits);
            assert!(value.relative_bits().is_some_and(|proven| proven >= i64::from(bits) - 3), "{text}: {value:?}");
        }
    }
    for text in ["1e6", "-1e6", "sqrt(2)*1e8", "1e-300"] {
        let Number::Enclosed(value) = real(text).exp_number(100) else { panic!("{text}") };
        assert!(value.relative_bits().is_some_and(|proven| proven >= 95), "{text}: {value:?}");
    }
}

#[test]
fn doubles_for_searches() {
    for (text, double) in [
        ("0", 0.0),
        ("0.1", 0.1),
        ("1e1000", f64::MAX),
        ("-1e1000", -f64::MAX),
        ("1e-1000", f64::from_bits(1)),
        ("-1e-1000", -f64::from_bits(1)),
        ("sqrt(2)", std::f64::consts::SQRT_2),
    ] {
        assert_eq!(real(text).to_f64(), double, "{text}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn strings_in_data() {
    let value: Real = serde_json::from_str("\"ln(3/2)\"").unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), "\"ln(3/2)\"");
    assert_eq!(serde_json::from_str::<Real>("0.1").unwrap(), real("1/10"));
    assert!(serde_json::from_str::<Real>("true").is_err());
}

/// Sums of square roots beside other factors: in the form that they have alone.
#[test]
fn sums_of_roots_in_products_have_one_form() {
    for (text, other) in [
        ("1/(ln(3)*(1 + sqrt(5)))", "(sqrt(5) - 1)/4/ln(3)"),
        ("(ln(2)*(sqrt(5) + sqrt(6)))^-1", "(sqrt(6) - sqrt(5))/ln(2)"),
        ("((1 + sqrt(5))*ln(3))^2", "(6 + 2*sqrt(5))*ln(3)^2"),
        ("(1 + sqrt(2))*ln(3)*(1 + sqrt(5))", "(1 + sqrt(2) + sqrt(5) + sqrt(10))*ln(3)"),
        ("sqrt(2)*ln(3)*(1 + sqrt(5))", "(sqrt(2) + sqrt(10))*ln(3)"),
        ("(1 + sqrt(2))*ln(3)*(1 - sqrt(2))", "-ln(3)"),
        ("ln(3)*(1 + sqrt(2))^100*(1 + sqrt(2))", "ln(3)*(1 + sqrt(2))^101"),
        ("ln(3)/(1 + sqrt(2))^100", "ln(3)*(sqrt(2) - 1)^100"),
        ("(1 + sqrt(2) + sqrt(3))^2*ln(3)*(1 + sqrt(5))", "ln(3)*(1 + sqrt(5))*(1 + sqrt(2) + sqrt(3))^2"),
    ] {
        assert_eq!(real(text), real(other), "{text}");
        assert_eq!(real(&real(text).to_string()), real(text), "{text}");
    }
}

/// Random constants, mostly well-defined.
fn constants() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0..40_i32).prop_map(|n| n.to_string()),
        (1..40_i32, 1..40_i32).prop_map(|(p, q)| format!("{p}/{q}")),
        (1..60_i32).prop_map(|n| format!("sqrt({n})")),
        (1..60_i32, 1..9_i32).prop_map(|(p, q)| format!("ln({p}/{q})")),
        (-3..3_i32).prop_map(|n| format!("exp({n})")),
        (1..999_i32).prop_map(|n| format!("0.{n}")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone(), prop_oneof![Just('+'), Just('-'), Just('*'), Just('/')])
                .prop_map(|(a, b, operator)| format!("({a}){operator}({b})")),
            inner.clone().prop_map(|a| format!("sqrt({a})")),
            inner.clone().prop_map(|a| format!("ln({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            (inner, -3..4_i32).prop_map(|(a, n)| format!("({a})^{n}")),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_texts_never_panic(text in ".{0,80}") {
        if let Ok(value) = Real::parse(&text) {
            prop_assert_eq!(Real::parse(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn texts_of_the_alphabet_never_panic(text in "[-0-9+*/^().,e f64xpsqrtln ]{0,30}") {
        if let Ok(value) = Real::parse(&text) {
            prop_assert_eq!(Real::parse(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn what_is_printed_is_read_back(text in constants()) {
        if let Ok(value) = Real::parse(&text) {
            let printed = value.to_string();
            prop_assert_eq!(Real::parse(&printed), Ok(value), "{} printed as {}", text, printed);
        }
    }

    #[test]
    fn arithmetic_agrees_with_enclosures(a in constants(), b in constants(), bits in 20_u32..200) {
        let (Ok(x), Ok(y)) = (Real::parse(&a), Real::parse(&b)) else { return Ok(()) };
        let (u, v) = (x.enclosure(bits), y.enclosure(bits));
        let overlap = |name: &str, exact: &Real, naive: Enclosure| {
            assert!(exact.enclosure(bits).overlaps(&naive), "{a} {name} {b}: {:?} {naive:?}", exact.enclosure(bits));
        };
        overlap("+", &x.add(&y), &u + &v);
        overlap("-", &x.sub(&y), &u - &v);
        overlap("squared", &x.square(), u.square());
        if let Ok(product) = x.mul(&y) {
            overlap("*", &product, &u * &v);
        }
        if let Ok(quotient) = x.div(&y) {
            overlap("/", &quotient, &u / &v);
        }
        if let Ok(root) = x.sqrt() {
            overlap("sqrt", &root, u.sqrt());
        }
        if let Ok(log) = x.ln() {
            overlap("ln", &log, u.ln());
        }
        if let Ok(exponential) = x.exp() {
            overlap("exp", &exponential, u.exp());
        }
        prop_assert!(x.exp_number(bits).enclosure(bits).overlaps(&u.exp()));
        if let (Some(order), Some(seen)) = (x.compare(&y), u.compare(&v)) {
            prop_assert_eq!(order, seen);
        }
        if let Some(ratio) = x.ratio(&y) {
            prop_assert_eq!(x.compare(&y.mul_rational(&ratio)), Some(Ordering::Equal));
        }
        if x == y {
            prop_assert_eq!(x.compare(&y), Some(Ordering::Equal));
        }
    }
}
