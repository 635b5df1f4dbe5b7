//! Theorems by name: the parameters of each, and the numbers that it proves for them.

use super::dwork_rothblum::{Cdp, printed_mean};
use super::kov::{Steps, Theorem, promise};
use super::kov_noise::{Noise, trade_down};
use super::renyi::{Best, OneOrder};
use super::two_points::{Bound, Region};
use super::zcdp::{Zcdp, of_pure, of_pure_sharp};
use crate::curve::Value;
use crate::error::Error;
use crate::mechanism::check;
use crate::pair::Part;
use enclosure::{Brief, Budget, Enclosure, Number, Real};

/// The numbers that a theorem proves, by name.
pub type Said = Vec<(&'static str, Value)>;

/// A theorem.
pub struct Entry {
    /// The name on the command line.
    pub id: &'static str,
    /// The citation.
    pub source: &'static str,
    /// A one-line description.
    pub says: &'static str,
    /// The parameters; a second string is the default.
    pub parameters: &'static [(&'static str, Option<&'static str>)],
    /// Evaluate the theorem for given parameters, at a precision in bits.
    pub evaluate: fn(&Given, u32, &Budget) -> Result<Said, Error>,
}

/// Numbers by name, one for each parameter.
#[derive(Clone, Debug)]
pub struct Given(pub Vec<(&'static str, Real)>);

impl Given {
    fn get(&self, name: &str) -> Result<&Real, Error> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value).ok_or_else(|| Error::input(format!("{name} is missing")))
    }

    fn count(&self, name: &str) -> Result<u64, Error> {
        let value = self.get(name)?;
        let count = value.as_rational().filter(|value| value.is_integer()).and_then(|value| value.numer().to_u64());
        count.ok_or_else(|| {
            Error::Undefined(format!("{name} must be an integer from 0 to 2^64 - 1, but {name} = {}", Brief(value)))
        })
    }

    fn noise(&self) -> Result<Noise, Error> {
        let one = Real::one();
        let queries = if self.get("times").is_ok() { Real::from(self.count("times")?) } else { Real::one() };
        Ok(Noise {
            epsilon: self.get("epsilon")?.clone(),
            delta: self.get("delta")?.clone(),
            queries,
            sensitivity: self.get("sensitivity").unwrap_or(&one).clone(),
        })
    }

    fn one_order(&self) -> Result<OneOrder, Error> {
        OneOrder::new(self.get("order")?.clone(), self.get("epsilon")?.clone())
    }
}

const STEPS: &[(&str, Option<&str>)] = &[("epsilon", None), ("delta", Some("0")), ("times", None), ("slack", None)];
const TWO_KINDS: &[(&str, Option<&str>)] = &[
    ("epsilon", None),
    ("delta", Some("0")),
    ("times", None),
    ("epsilon2", None),
    ("delta2", Some("0")),
    ("times2", Some("1")),
    ("slack", None),
];
const NOISE: &[(&str, Option<&str>)] =
    &[("epsilon", None), ("delta", None), ("times", Some("1")), ("sensitivity", Some("1"))];
const ONE_ORDER: &[(&str, Option<&str>)] = &[("order", None), ("epsilon", None), ("delta", None)];

fn composed(theorem: Theorem, given: &Given, bits: u32) -> Result<Said, Error> {
    let (epsilon, delta) = (given.get("epsilon")?.clone(), given.get("delta")?.clone());
    let mut parts = vec![Part { epsilon, delta, times: given.count("times")? }];
    if let Ok(second) = given.get("epsilon2") {
        let (epsilon, delta) = (second.clone(), given.get("delta2")?.clone());
        parts.push(Part { epsilon, delta, times: given.count("times2")? });
    }
    let steps = Steps::new(parts.clone())?;
    parts.iter().try_for_each(|part| theorem.admits(&part.epsilon))?;
    let none = Real::zero();
    let promised = promise(theorem, &steps, given.get("slack").unwrap_or(&none), bits)?;
    Ok(vec![("epsilon", promised.epsilon), ("delta", promised.delta.into())])
}

fn one(name: &'static str, number: Number) -> Said {
    vec![(name, Value::Finite(number))]
}

/// A number with the best order, where there is one: a number that is 0 or 1 at all orders has none.
fn best(name: &'static str, best: Best) -> Said {
    let order = best.order.map(|order| ("order", Value::Finite(Number::Enclosed(order))));
    one(name, best.value).into_iter().chain(order).collect()
}

fn cdp(cdp: &Cdp, bits: u32) -> Result<Said, Error> {
    let (mu, tau) = cdp.parameters()?;
    Ok(vec![("mu", mu.number(bits).into()), ("tau", tau.number(bits).into())])
}

/// All theorems that can be evaluated by name.
pub static ALL: &[Entry] = &[
    Entry {
        id: "KOV-3.1",
        source: "Kairouz, Oh, Viswanath, Theorem 3.1",
        says: "basic composition: k mechanisms that are (epsilon, delta)-DP are (k epsilon, k delta)-DP",
        parameters: &[("epsilon", None), ("delta", Some("0")), ("times", None)],
        evaluate: |given, bits, _| composed(Theorem::Basic, given, bits),
    },
    Entry {
        id: "KOV-3.2",
        source: "Kairouz, Oh, Viswanath, Theorem 3.2 (Dwork, Rothblum, Vadhan 2010)",
        says: "advanced composition; requires epsilon > 0 and a slack in (0, 1]",
        parameters: STEPS,
        evaluate: |given, bits, _| composed(Theorem::Advanced, given, bits),
    },
    Entry {
        id: "DR-1.1",
        source: "Dwork, Rothblum, Theorem 1.1",
        says: "refined advanced composition, with half the drift term",
        parameters: STEPS,
        evaluate: |given, bits, _| composed(Theorem::Refined, given, bits),
    },
    Entry {
        id: "KOV-3.4",
        source: "Kairouz, Oh, Viswanath, Theorem 3.4",
        says: "simplified optimal composition: the minimum of three expressions",
        parameters: STEPS,
        evaluate: |given, bits, _| composed(Theorem::Simplified, given, bits),
    },
    Entry {
        id: "KOV-8",
        source: "Kairouz, Oh, Viswanath, equation (8)",
        says: "simplified optimal composition for small epsilon; stated for epsilon <= 0.9, true for all epsilon",
        parameters: STEPS,
        evaluate: |given, bits, _| composed(Theorem::HighPrivacy, given, bits),
    },
    Entry {
        id: "KOV-3.5",
        source: "Kairouz, Oh, Viswanath, Theorem 3.5",
        says: "simplified optimal composition of different mechanisms, here two kinds; requires epsilon > 0",
        parameters: TWO_KINDS,
        evaluate: |given, bits, _| composed(Theorem::Heterogeneous, given, bits),
    },
    Entry {
        id: "KOV-A",
        source: "Kairouz, Oh, Viswanath, appendix A",
        says: "delta of an (epsilon, delta)-DP mechanism at a smaller epsilon",
        parameters: &[("epsilon", None), ("delta", Some("0")), ("smaller", None)],
        evaluate: |given, bits, _| {
            let smaller = trade_down(given.get("epsilon")?, given.get("delta")?, given.get("smaller")?, bits)?;
            Ok(one("delta", smaller))
        },
    },
    Entry {
        id: "KOV-4.1",
        source: "Kairouz, Oh, Viswanath, Theorem 4.1",
        says: "epsilon and delta of each of k queries for (epsilon, delta)-DP in total; requires epsilon <= 9/10",
        parameters: &[("epsilon", None), ("delta", None), ("times", None)],
        evaluate: |given, bits, _| {
            let (epsilon, delta) = given.noise()?.split()?;
            Ok(vec![("epsilon", epsilon.number(bits).into()), ("delta", delta.number(bits).into())])
        },
    },
    Entry {
        id: "KOV-4.2",
        source: "Kairouz, Oh, Viswanath, Theorem 4.2",
        says: "sufficient variance of Laplace noise for k queries; requires epsilon <= 9/10",
        parameters: NOISE,
        evaluate: |given, bits, _| Ok(one("variance", given.noise()?.laplace()?.number(bits))),
    },
    Entry {
        id: "KOV-4.3",
        source: "Kairouz, Oh, Viswanath, Theorem 4.3",
        says: "sufficient variance of Gaussian noise for k queries; stated for all epsilon, refused where false",
        parameters: NOISE,
        evaluate: |given, bits, budget| Ok(one("variance", given.noise()?.gaussian(budget)?.number(bits))),
    },
    Entry {
        id: "KOV-B",
        source: "Kairouz, Oh, Viswanath, appendix B, second condition",
        says: "smaller variance of Gaussian noise for k queries; refused where it is insufficient",
        parameters: NOISE,
        evaluate: |given, bits, budget| Ok(one("variance", given.noise()?.appendix(budget)?.number(bits))),
    },
    Entry {
        id: "classical-gaussian",
        source: "the classical rule, quoted in Kairouz, Oh, Viswanath, section 4",
        says: "variance 2 D^2 ln(2/delta)/epsilon^2 for one query; refused where it is insufficient",
        parameters: &[("epsilon", None), ("delta", None), ("sensitivity", Some("1"))],
        evaluate: |given, bits, budget| Ok(one("variance", given.noise()?.classical(budget)?.number(bits))),
    },
    Entry {
        id: "DR-3.2",
        source: "Dwork, Rothblum, Theorem 3.2 and Corollary 3.3",
        says: "CDP parameters (mu, tau) of Gaussian noise on several queries, for a group of records",
        parameters: &[("sigma", None), ("sensitivity", Some("1")), ("group", Some("1")), ("times", Some("1"))],
        evaluate: |given, bits, _| {
            super::hypothesis::above("sigma", given.get("sigma")?, &Real::zero())?;
            super::hypothesis::not_negative("the sensitivity", given.get("sensitivity")?)?;
            let size = Real::from(given.count("group")?);
            let far = size.mul(given.get("sensitivity")?)?.div(given.get("sigma")?)?;
            cdp(&Cdp::nothing().and(&Cdp::gaussian(&far.square())?, given.count("times")?), bits)
        },
    },
    Entry {
        id: "DR-3.4",
        source: "Dwork, Rothblum, Theorem 3.4",
        says: "CDP parameters of a composition of (mu, tau)-CDP mechanisms, here two kinds",
        parameters: &[
            ("mu", None),
            ("tau", None),
            ("times", Some("1")),
            ("mu2", Some("0")),
            ("tau2", Some("0")),
            ("times2", Some("1")),
        ],
        evaluate: |given, bits, _| {
            let first = Cdp::new(given.get("mu")?.clone(), given.get("tau")?)?;
            let second = Cdp::new(given.get("mu2")?.clone(), given.get("tau2")?)?;
            let all = Cdp::nothing().and(&first, given.count("times")?).and(&second, given.count("times2")?);
            cdp(&all, bits)
        },
    },
    Entry {
        id: "DR-3.5",
        source: "Dwork, Rothblum, Theorem 3.5, with the sharp mean",
        says: "CDP parameters of an epsilon-DP mechanism: the sharp mu, and the mu stated in the paper",
        parameters: &[("epsilon", None)],
        evaluate: |given, bits, _| {
            let epsilon = given.get("epsilon")?;
            let mut said = cdp(&Cdp::pure(epsilon)?, bits)?;
            said.push(("printed mu", printed_mean(epsilon, bits)?.into()));
            Ok(said)
        },
    },
    Entry {
        id: "DR-RR",
        source: "Kearns, Saul 1998, for the loss of randomised response",
        says: "CDP parameters of randomised response",
        parameters: &[("epsilon", None)],
        evaluate: |given, bits, _| cdp(&Cdp::randomized_response(given.get("epsilon")?)?, bits),
    },
    Entry {
        id: "DR-C3.1",
        source: "Dwork, Rothblum, Corollary 3.1 and Theorem 3.4",
        says: "epsilon at delta of k mechanisms, each (mu, tau)-CDP",
        parameters: &[("mu", None), ("tau", None), ("times", Some("1")), ("delta", None)],
        evaluate: |given, bits, _| {
            let step = Cdp::new(given.get("mu")?.clone(), given.get("tau")?)?;
            let all = Cdp::nothing().and(&step, given.count("times")?);
            Ok(one("epsilon", all.epsilon(given.get("delta")?, bits)?))
        },
    },
    Entry {
        id: "DR-4.1",
        source: "Dwork, Rothblum, Lemmas 4.2 and 4.3, the recursion behind Theorem 4.1",
        says: "CDP parameters of a (mu, tau)-CDP mechanism for groups of 2^doublings; requires tau <= 1/4 at each \
               doubling",
        parameters: &[("mu", None), ("tau", None), ("doublings", None)],
        evaluate: |given, bits, _| {
            let doublings = u32::try_from(given.count("doublings")?).unwrap_or(u32::MAX).min(1 << 10);
            let (mu, tau) = Cdp::new(given.get("mu")?.clone(), given.get("tau")?)?.group(doublings, bits)?;
            Ok(vec![("mu", mu.into()), ("tau", tau.into())])
        },
    },
    Entry {
        id: "BS-1.4",
        source: "Bun, Steinke 2016, Proposition 1.4, and the sharp constant",
        says: "zCDP parameter rho of an epsilon-DP mechanism: the smallest, and the one stated in the paper",
        parameters: &[("epsilon", None)],
        evaluate: |given, bits, _| {
            let epsilon = given.get("epsilon")?;
            let (printed, least) = (of_pure(epsilon)?, of_pure_sharp(epsilon)?);
            Ok(vec![("rho", least.number(bits).into()), ("printed rho", printed.number(bits).into())])
        },
    },
    Entry {
        id: "BS-1.3",
        source: "Bun, Steinke 2016, Proposition 1.3",
        says: "epsilon at delta of a rho-zCDP mechanism: rho + 2 sqrt(rho ln(1/delta))",
        parameters: &[("rho", None), ("delta", None)],
        evaluate: |given, bits, _| {
            let zcdp = Zcdp::new(given.get("rho")?.clone())?;
            Ok(one("epsilon", zcdp.bun_steinke(given.get("delta")?)?.number(bits)))
        },
    },
    Entry {
        id: "BS-3.6",
        source: "Bun, Steinke 2016, Lemma 3.6",
        says: "delta at epsilon of a rho-zCDP mechanism; requires epsilon >= rho",
        parameters: &[("rho", None), ("epsilon", None)],
        evaluate: |given, bits, _| {
            let zcdp = Zcdp::new(given.get("rho")?.clone())?;
            Ok(one("delta", zcdp.bun_steinke_delta(given.get("epsilon")?, bits)?))
        },
    },
    Entry {
        id: "CKS-13",
        source: "Canonne, Kamath, Steinke 2020, Corollary 13, at the best order",
        says: "epsilon at delta of a rho-zCDP mechanism, and the best order",
        parameters: &[("rho", None), ("delta", None)],
        evaluate: |given, bits, budget| {
            let zcdp = Zcdp::new(given.get("rho")?.clone())?;
            Ok(best("epsilon", zcdp.epsilon_at_best(given.get("delta")?, bits, budget)?))
        },
    },
    Entry {
        id: "CKS-13-delta",
        source: "Canonne, Kamath, Steinke 2020, Corollary 13, at the best order",
        says: "delta at epsilon of a rho-zCDP mechanism, and the best order",
        parameters: &[("rho", None), ("epsilon", None)],
        evaluate: |given, bits, budget| {
            let zcdp = Zcdp::new(given.get("rho")?.clone())?;
            super::hypothesis::not_negative("epsilon", given.get("epsilon")?)?;
            Ok(best("delta", zcdp.delta_at_best(given.get("epsilon")?, bits, budget)?))
        },
    },
    Entry {
        id: "MIR-3",
        source: "Mironov 2017, Proposition 3",
        says: "epsilon at delta from a bound on the Renyi divergence of one order",
        parameters: ONE_ORDER,
        evaluate: |given, bits, _| Ok(one("epsilon", given.one_order()?.mironov(given.get("delta")?, bits)?)),
    },
    Entry {
        id: "CKS-12",
        source: "Canonne, Kamath, Steinke 2020, Proposition 12",
        says: "epsilon at delta from one Renyi order, sharper than MIR-3",
        parameters: ONE_ORDER,
        evaluate: |given, bits, _| Ok(one("epsilon", given.one_order()?.standard_epsilon(given.get("delta")?, bits)?)),
    },
    Entry {
        id: "ALCKS-1",
        source: "Asoodeh, Liao, Calmon, Kosut, Sankar 2020, Lemma 1",
        says: "epsilon at delta from one Renyi order, by a tangent",
        parameters: ONE_ORDER,
        evaluate: |given, bits, _| Ok(one("epsilon", given.one_order()?.asoodeh(given.get("delta")?, bits)?)),
    },
    Entry {
        id: "two-outcomes",
        source: "proofs/paper/conversion.md",
        says: "epsilon at delta from one Renyi order; optimal if the bound holds in both directions",
        parameters: ONE_ORDER,
        evaluate: |given, bits, budget| {
            given.one_order()?;
            let (order, r, delta) = (given.get("order")?, given.get("epsilon")?, given.get("delta")?);
            super::hypothesis::inside_unit("delta", delta)?;
            if r.is_zero() {
                return Ok(one("epsilon", Number::zero()));
            }
            let bound = Bound { order: order.clone(), divergence: &|bits| Ok(r.enclosure(bits)) };
            if bound.is_out_of_reach(delta) {
                return Err(Error::undecided("the search over two outcomes stops at masses below e^-10000"));
            }
            Ok(one("epsilon", bound.epsilon(delta, bits, budget)?))
        },
    },
];

impl Entry {
    /// The theorem of this name.
    pub fn find(id: &str) -> Option<&'static Entry> {
        ALL.iter().find(|entry| entry.id.eq_ignore_ascii_case(id))
    }

    /// `KOV-3.4 epsilon=... delta=0 times=... slack=...`.
    pub fn usage(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, default)| format!(" {name}={}", default.unwrap_or("...")));
        format!("{}{}", self.id, parameters.collect::<String>())
    }

    /// Bounds in closed form on a number whose search did not finish, if there are any: for two outcomes, the smallest
    /// epsilon of the other conversions; for the smallest delta, that of one order, and 1.
    pub fn without_search(&self, given: &Given) -> Option<Said> {
        const BITS: u32 = 64;
        let (name, most) = match self.id {
            "two-outcomes" => {
                let (order, delta) = (given.one_order().ok()?, given.get("delta").ok()?);
                let most = order.standard_epsilon(delta, BITS).ok()?.min(&order.asoodeh(delta, BITS).ok()?);
                ("epsilon", most)
            }
            "CKS-13-delta" => {
                let zcdp = Zcdp::new(given.get("rho").ok()?.clone()).ok()?;
                let epsilon = given.get("epsilon").ok()?;
                super::hypothesis::not_negative("epsilon", epsilon).ok()?;
                ("delta", zcdp.tail(epsilon, BITS))
            }
            _ => return None,
        };
        let between = Enclosure::zero(BITS).hull(&most.enclosure(BITS));
        between.is_bounded().then(|| one(name, Number::Enclosed(between)))
    }

    /// The values of all parameters, from the given ones and the defaults.
    ///
    /// # Errors
    /// [`Error::Input`] if a name is unknown, given twice or missing.
    pub fn given(&self, values: Vec<(String, Real)>) -> Result<Given, Error> {
        for (at, (name, _)) in values.iter().enumerate() {
            if !self.parameters.iter().any(|(known, _)| known == name) {
                return Err(Error::input(format!("{} has no parameter `{name}`; usage: {}", self.id, self.usage())));
            }
            if values[..at].iter().any(|(other, _)| other == name) {
                return Err(Error::input(format!("`{name}` is given twice")));
            }
        }
        let lacks = |(name, default): &&(&str, Option<&str>)| {
            default.is_none() && values.iter().all(|(known, _)| known != name)
        };
        let missing: Vec<&str> = self.parameters.iter().filter(lacks).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            return Err(Error::input(check::missing(&missing, &self.usage())));
        }
        let mut all = Vec::new();
        for (name, default) in self.parameters {
            let found = values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            let value = match (found, default) {
                (Some(value), _) => value,
                (None, Some("0")) => Real::zero(),
                (None, Some(_)) => Real::one(),
                (None, None) => return Err(Error::internal("a missing parameter was not reported")),
            };
            all.push((*name, value));
        }
        Ok(Given(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::reference::assert_agrees;

    fn said(id: &str, values: &[(&str, &str)]) -> Result<Said, Error> {
        let entry = Entry::find(id).expect(id);
        let values = values.iter().map(|(name, value)| (name.to_string(), value.parse().expect(value)));
        (entry.evaluate)(&entry.given(values.collect())?, 200, &Budget::default())
    }

    fn number(said: Result<Said, Error>, name: &str) -> Number {
        let said = said.expect("a number");
        let found = said.into_iter().find(|(known, _)| *known == name).expect(name).1;
        found.finite().expect("a finite number").clone()
    }

    #[test]
    fn names_find_their_theorems() {
        let steps = [("epsilon", "1/10"), ("times", "30"), ("slack", "1/1000")];
        assert_agrees(&number(said("kov-3.4", &steps), "epsilon"), "2.095750683572682008066196560473079420746");
        assert_agrees(&number(said("DR-1.1", &steps), "epsilon"), "2.193598504438004976582488782592246920465");
        let zcdp = [("rho", "1/2"), ("delta", "1e-5")];
        assert_agrees(&number(said("BS-1.3", &zcdp), "epsilon"), "5.298525912188081207567368868904801527654");
        let pure = number(said("BS-1.4", &[("epsilon", "1")]), "rho");
        assert_agrees(&pure, "0.4621171572600097585023184836436725487303");
        // Every theorem takes what its line says, and no two have one name.
        for (at, entry) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| !other.id.eq_ignore_ascii_case(entry.id)), "{}", entry.id);
            let values = entry.parameters.iter().map(|(name, _)| {
                let value = match *name {
                    "order" | "times" | "times2" | "group" | "doublings" => "2",
                    "delta" | "delta2" => "1/1000",
                    "mu" => "1/1000000000",
                    "tau" => "1/10000",
                    _ => "1/2",
                };
                (name.to_string(), value.parse().expect(value))
            });
            let given = entry.given(values.collect()).expect(entry.id);
            let all = (entry.evaluate)(&given, 100, &Budget::default()).unwrap_or_else(|error| panic!("{error}"));
            assert!(!all.is_empty(), "{}", entry.id);
        }
    }

    /// Of two kinds that are one it says what is said of that. Of two that differ the sums, by hand: no slack is left
    /// for the roots, so that the least branch is `S`.
    #[test]
    fn two_kinds_of_mechanisms() {
        let alike = [("epsilon", "1/10"), ("times", "10"), ("epsilon2", "1/10"), ("times2", "20"), ("slack", "1/1000")];
        assert_agrees(&number(said("KOV-3.5", &alike), "epsilon"), "2.095750683572682008066196560473079420746");
        let differ = [
            ("epsilon", "1/10"),
            ("delta", "1/4"),
            ("times", "2"),
            ("epsilon2", "3"),
            ("delta2", "1/3"),
            ("slack", "0"),
        ];
        let exact = |name| number(said("KOV-3.5", &differ), name).exact().map(ToString::to_string);
        assert_eq!((exact("epsilon"), exact("delta")), (Some("16/5".into()), Some("5/8".into())));
        let none = [("epsilon", "0"), ("times", "2"), ("epsilon2", "1"), ("slack", "1/2")];
        assert!(matches!(said("KOV-3.5", &none), Err(Error::Undefined(_))));
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        for (values, part) in [
            (vec![("epsilon", "1")], "`times`, `slack` are missing: KOV-3.4 epsilon=... delta=0 times=... slack=..."),
            (vec![("epsilon", "1"), ("k", "2")], "KOV-3.4 has no parameter `k`"),
            (vec![("epsilon", "1"), ("epsilon", "2")], "`epsilon` is given twice"),
        ] {
            let Err(Error::Input(message)) = said("KOV-3.4", &values) else { panic!("{part}") };
            assert!(message.contains(part), "{message}");
        }
        let half = [("epsilon", "1"), ("times", "1/2"), ("slack", "1/2")];
        let Err(Error::Undefined(message)) = said("KOV-3.4", &half) else { panic!() };
        assert!(message.contains("times = 1/2"), "{message}");
        // A count is one everywhere.
        for id in ["KOV-4.1", "KOV-4.2", "KOV-4.3", "KOV-B"] {
            let Err(Error::Undefined(message)) = said(id, &[("epsilon", "1/2"), ("delta", "1e-5"), ("times", "5/2")])
            else {
                panic!("{id}")
            };
            assert!(message.contains("times must be an integer") && message.contains("times = 5/2"), "{message}");
        }
    }

    /// Of no step at all they are asked as well.
    #[test]
    fn hypotheses_come_before_shortcuts() {
        for id in ["KOV-3.1", "KOV-3.2", "DR-1.1", "KOV-3.4", "KOV-8", "KOV-3.5"] {
            let asked = |epsilon| {
                let mut values = vec![("epsilon", epsilon), ("times", "0"), ("slack", "1/2"), ("epsilon2", "1")];
                let takes = |name: &str| Entry::find(id).expect(id).parameters.iter().any(|(known, _)| *known == name);
                values.retain(|(name, _)| takes(name));
                said(id, &values)
            };
            let Err(Error::Undefined(message)) = asked("-1") else { panic!("{id}") };
            assert_eq!(message, "epsilon = -1 is negative");
            assert_eq!(asked("0").is_err(), ["KOV-3.2", "KOV-3.5"].contains(&id), "{id}");
        }
        let Err(Error::Undefined(message)) = said("DR-3.2", &[("sigma", "1"), ("sensitivity", "-1")]) else { panic!() };
        assert_eq!(message, "the sensitivity = -1 is negative");
        // A value of many digits is told by its first ones.
        let long = format!("-1{}", "0".repeat(3000));
        let Err(Error::Undefined(message)) = said("KOV-3.1", &[("epsilon", &long), ("times", "3")]) else { panic!() };
        assert!(message.len() < 60 && message.contains("e3000 is negative"), "{message}");
    }

    /// Where no search comes to an end there is a bound, and where none is needed a number.
    #[test]
    fn what_is_out_of_reach_has_a_bound() {
        let near = [("order", "1.0000000001"), ("epsilon", "1/4"), ("delta", "1e-5")];
        assert!(matches!(said("two-outcomes", &near), Err(Error::Undecided(_))));
        let bound = |id: &str, values: &[(&'static str, &str)], name| {
            let given = values.iter().map(|(name, value)| (*name, value.parse().expect(value))).collect();
            number(Ok(Entry::find(id).expect(id).without_search(&Given(given)).expect(id)), name).enclosure(64)
        };
        let most = bound("two-outcomes", &near, "epsilon");
        assert!(*most.lower() == 0 && *most.upper() > 24_999 && *most.upper() < 25_000, "{most:?}");
        // Large orders are not out of reach.
        let large = [("order", "100000"), ("epsilon", "1"), ("delta", "1e-5")];
        let large = number(said("two-outcomes", &large), "epsilon").enclosure(64);
        assert!(*large.lower() > 0.99998 && *large.upper() < 1, "{large:?}");
        let far = [("order", "101/100"), ("epsilon", "1/4"), ("delta", "99/100")];
        assert_eq!(number(said("two-outcomes", &far), "epsilon").exact(), Some(&rug::Rational::new()));
        let tiny = [("rho", "1e-30"), ("epsilon", "3")];
        assert!(matches!(said("CKS-13-delta", &tiny), Err(Error::Undecided(_))));
        let least = bound("CKS-13-delta", &tiny, "delta");
        assert!(*least.lower() == 0 && *least.upper() < 1e-300, "{least:?}");
    }
}
