use super::*;

#[test]
fn round_trips() {
    for text in [
        "approx-dp(epsilon=1/10, delta=1/1000)^30",
        "gaussian(sigma=2)",
        "discrete-gaussian(sigma2=120000/1729)^9 * geometric(epsilon=ln(2), sensitivity=3)",
        "finite(p=[1/2, 1/4, 1/4], q=[1/3, 1/3, 1/3])",
        "gdp(mu=0)^0",
    ] {
        let value: Composition = text.parse().unwrap();
        assert_eq!(value.to_string(), text);
    }
}
