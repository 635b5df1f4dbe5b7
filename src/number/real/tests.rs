use super::*;

fn real(text: &str) -> Real {
    text.parse().unwrap()
}

#[test]
fn simplifies() {
    for (given, printed) in [
        ("0.1", "1/10"),
        ("1e-3", "1/1000"),
        ("sqrt(4)", "2"),
        ("sqrt(2)^2", "2"),
        ("ln(1)", "0"),
        ("exp(ln(3/2))", "3/2"),
        ("ln(exp(1))", "1"),
        ("sqrt(8)", "2*sqrt(2)"),
        ("ln(2/3)", "-ln(3/2)"),
        ("1/2*ln(4)", "ln(2)"),
        ("ln(2)+ln(3)", "ln(6)"),
        ("ln(2)-ln(3)", "-ln(3/2)"),
        ("ln(8)/ln(2)", "3"),
        ("1/(1+sqrt(2))", "-1 + sqrt(2)"),
        ("2^-1", "1/2"),
        ("-2^2", "-4"),
        ("2^3^2", "512"),
        ("2.56 + 2*sqrt(2.56*ln(1e11))", "64/25 + 2*sqrt(704/25*ln(10))"),
        ("exp(1)*exp(-1)", "1"),
        ("exp(1/2)^2", "exp(1)"),
        ("8^(1/3)", "2"),
        ("sqrt(2)*sqrt(3)", "sqrt(6)"),
        ("f64:0.5", "1/2"),
        ("f64:0x1.8p-1", "3/4"),
        ("ln(2)*ln(3)/ln(3)", "ln(2)"),
        ("0^0", "1"),
        ("sqrt(ln(2))^2", "ln(2)"),
        ("ln(sqrt(2))", "1/2*ln(2)"),
    ] {
        let value = Real::parse(given).unwrap_or_else(|error| panic!("{given}: {error}"));
        assert_eq!(value.to_string(), printed, "{given}");
        assert_eq!(real(&value.to_string()), value, "{given}");
    }
}
