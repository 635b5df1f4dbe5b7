//! Each comparison is made to see a wrong enclosure, and the alarm is to be heard by whoever asked.

use super::*;
use crate::answer::{Outcome, Session, answer};
use crate::compose::Method;
use crate::query::Query;
use enclosure::Budget;

fn query(quantity: &str, mechanism: &str, at: &str, method: &str, digits: u32) -> Query {
    let line = format!(
        r#"{{"quantity":"{quantity}","mechanism":"{mechanism}","at":{at},"method":"{method}","digits":{digits}}}"#
    );
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The comparison, then a query that makes it: quantity, mechanism, point, method and digits.
type Place = (&'static str, &'static str, &'static str, &'static str, &'static str, u32);

const CONTOURS: &str = "poisson(rate=0.01, gaussian(sigma=1))^100";
const MIXED: &str = "discrete-gaussian(sigma2=3)^4 * geometric(epsilon=1/2)^2";
const BESIDE: &str = "laplace(scale=2)^2 * randomized-response(epsilon=1)";
const HALVED: &str =
    "randomized-response(epsilon=1) * randomized-response(epsilon=sqrt(2)) * randomized-response(epsilon=sqrt(3))";

/// Every place where two enclosures of one number meet, but for those that meet only when a contour is not enough, and
/// the one in the maximum of a concave function, which is of the crate of enclosures: they have tests beside them.
const PLACES: &[Place] = &[
    ("probability that was asked for", "delta", "gaussian(sigma=1)^10", r#"{"epsilon":"1"}"#, "auto", 15),
    ("type II error at a small type I error", "beta", "gaussian(sigma=1)", r#"{"alpha":"1e-100"}"#, "auto", 15),
    ("profile of a Gaussian", "delta", "gaussian(sigma=1)^10", r#"{"epsilon":"1"}"#, "auto", 15),
    ("profile of discrete Gaussians", "delta", "discrete-gaussian(sigma2=3)^4", r#"{"epsilon":"1"}"#, "auto", 15),
    ("type II error of discrete Gaussians", "beta", "discrete-gaussian(sigma2=3)", r#"{"alpha":"0.1"}"#, "auto", 15),
    (
        "probability of a tail of discrete Gaussians",
        "delta",
        "discrete-gaussian(sigma2=3)^4",
        r#"{"epsilon":"1"}"#,
        "auto",
        15,
    ),
    (
        "candidate for an epsilon of discrete Gaussians",
        "epsilon",
        "discrete-gaussian(sigma2=3)^4",
        r#"{"delta":"1e-5"}"#,
        "auto",
        15,
    ),
    ("profile of randomised responses", "delta", "randomized-response(epsilon=1)^10", r#"{"epsilon":"2"}"#, "auto", 15),
    (
        "excess of a tail over the level",
        "epsilon",
        "randomized-response(epsilon=1)^10",
        r#"{"delta":"1e-3"}"#,
        "auto",
        15,
    ),
    ("profile of a sum over two halves", "delta", HALVED, r#"{"epsilon":"1"}"#, "auto", 15),
    ("type II error of a sum over two halves", "beta", HALVED, r#"{"alpha":"sqrt(1/50)"}"#, "auto", 15),
    ("profile of Laplace mechanisms", "delta", "laplace(scale=2)^3", r#"{"epsilon":"1/3"}"#, "auto", 15),
    ("epsilon of Laplace mechanisms", "epsilon", "laplace(scale=2)^3", r#"{"delta":"0.1"}"#, "auto", 15),
    ("type II error of Laplace mechanisms", "beta", "laplace(scale=2)^3", r#"{"alpha":"0.3"}"#, "auto", 15),
    ("root of the line of a knot", "epsilon", MIXED, r#"{"delta":"1e-3"}"#, "lattice", 15),
    ("expectation on a contour", "delta", MIXED, r#"{"epsilon":"1"}"#, "quadrature", 15),
    ("tail on a contour", "beta", MIXED, r#"{"alpha":"0.3"}"#, "quadrature", 15),
    ("profile by quadrature", "delta", CONTOURS, r#"{"epsilon":"1"}"#, "quadrature", 15),
    ("type II error by quadrature", "beta", MIXED, r#"{"alpha":"0.3"}"#, "quadrature", 15),
    ("type II error by quadrature", "beta", CONTOURS, r#"{"alpha":"0.3"}"#, "quadrature", 10),
    ("value on two grids", "delta", MIXED, r#"{"epsilon":"1"}"#, "grid", 4),
    ("type II error on a grid", "beta", MIXED, r#"{"alpha":"0.3"}"#, "grid", 3),
    ("type II error beside finitely many losses", "beta", BESIDE, r#"{"alpha":"0.3"}"#, "closed-form", 15),
    ("tail of masses on a lattice", "epsilon", MIXED, r#"{"delta":"1e-3"}"#, "lattice", 15),
    // In engines of engines, and where few bits tell the worse direction first.
    ("profile of a Gaussian", "delta", "poisson(rate=0.01, gaussian(sigma=1))", r#"{"epsilon":"1"}"#, "auto", 15),
    ("expectation on a contour", "delta", CONTOURS, r#"{"epsilon":"1"}"#, "quadrature", 15),
];

#[test]
fn a_wrong_enclosure_raises_the_alarm() {
    let mut silent = Vec::new();
    for &(what, quantity, mechanism, at, method, digits) in PLACES {
        let query = query(quantity, mechanism, at, method, digits);
        let (heard, made) = injected(what, || answer(&query, &Budget::default()));
        match heard {
            Err(error @ Error::Contradiction { .. }) => {
                let text = error.to_string();
                assert!(text.starts_with(&format!("internal error: two enclosures of the same {what} do not meet: [")));
                assert!(
                    text.ends_with(&format!("; please report this query: {query}")) && !text.contains('\n'),
                    "{text}"
                );
                assert!(made > 0);
            }
            heard => silent.push(format!("{what}: {query}: {made} made: {heard:?}")),
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Other engines would do, and are not asked.
#[test]
fn no_other_engine_covers_up_an_alarm() {
    let what = "profile of a Gaussian";
    let query = query("delta", "gaussian(sigma=1)^10", r#"{"epsilon":"1"}"#, "auto", 15);
    let other = query.clone().with_method(Method::Quadrature);
    let (second, _) = injected(what, || answer(&other, &Budget::default()));
    assert!(matches!(second.map(|answer| answer.outcome), Ok(Outcome::Enclosure(_))));
    let session = Session::new(query.mechanism.clone(), query.method);
    let (first, made) = injected(what, || session.answer(&query, &Budget::default()));
    assert!(first.is_err_and(|error| error.is_alarm()));
    assert_eq!(made, 1, "nobody is asked again");
    // The session is as good as before.
    assert!(session.answer(&query, &Budget::default()).is_ok());
}

/// A bound that holds for small type I errors is tried first, by the profile: its alarm is not declined.
#[test]
fn no_second_way_covers_up_an_alarm() {
    let small = query("beta", "gaussian(sigma=1)", r#"{"alpha":"1e-100"}"#, "auto", 15);
    let (heard, made) = injected("profile of a Gaussian", || answer(&small, &Budget::default()));
    assert!(heard.is_err_and(|error| error.is_alarm()) && made == 1);
    // Few bits first, then the others: neither direction is asked again.
    let sides = query("delta", CONTOURS, r#"{"epsilon":"1"}"#, "quadrature", 40);
    let (heard, made) = injected("expectation on a contour", || answer(&sides, &Budget::default()));
    assert!(heard.is_err_and(|error| error.is_alarm()) && made == 1, "{made}");
}

#[test]
fn alarms_are_no_refusals() {
    let alarm = || -> Error {
        let found = Enclosure::one(8).meet(&Enclosure::zero(8), "number").expect_err("disjoint");
        found.into()
    };
    assert_eq!(declined(Ok(1)), Ok(Some(1)));
    assert_eq!(declined::<()>(Err(Error::Undecided("too much".into()))), Ok(None));
    assert_eq!(declined::<()>(Err(Error::Undefined("nothing".into()))), Ok(None));
    assert_eq!(declined::<()>(Err(alarm())), Err(alarm()));
    assert!(alarm().to_string().ends_with("; please report it"));
    // The first question that is known is the one to report.
    assert!(alarm().about("this").about("that").to_string().ends_with("; please report this query: this"));
    assert_eq!(Error::input("bad").about("this"), Error::input("bad"));
}

#[test]
fn ranges_are_clamped() {
    let set = |low: f64, high: f64| Enclosure::new(rug::Float::with_val(53, low), rug::Float::with_val(53, high));
    let ends = |set: Enclosure| (set.lower().to_f64(), set.upper().to_f64());
    assert_eq!(probability(&set(-0.5, 0.5), "p").map(ends), Ok((0.0, 0.5)));
    assert_eq!(probability(&set(0.5, f64::INFINITY), "p").map(ends), Ok((0.5, 1.0)));
    assert_eq!(not_negative(&set(-0.5, 2.5), "x").map(ends), Ok((0.0, 2.5)));
    assert_eq!(bracket(&set(0.25, 0.5), &set(0.25, 0.375), "x").map(ends), Ok((0.25, 0.375)));
    for (low, high) in [(-2.0, -1.0), (1.5, 2.0)] {
        assert!(probability(&set(low, high), "p").is_err_and(|error| error.is_alarm()));
    }
    assert!(not_negative(&set(-2.0, -1.0), "x").is_err_and(|error| error.is_alarm()));
    assert!(bracket(&set(0.5, 0.75), &set(0.25, 0.375), "x").is_err_and(|error| error.is_alarm()));
}
