//! The point at which a quantity is taken, as it stands in JSON.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, de};

use super::QuantityName;
use crate::error::Error;
use enclosure::Real;

/// The point at which a quantity is taken, as it stands in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a point, as in {\"epsilon\": \"1\"}")]
pub struct Point<O = Real> {
    /// For `delta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Real>,
    /// For `epsilon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Real>,
    /// For `beta`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Real>,
    /// For `renyi` and `cumulant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<O>,
    /// For `true-positive-rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fpr: Option<Real>,
    /// For `bayes-risk`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<Real>,
    /// For `conjugate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope: Option<Real>,
    /// For `canonical-cdf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<Real>,
    /// For `canonical-quantile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<Real>,
    /// For `loss-above-p`, `loss-above-q`, `loss-up-to-p` and `loss-up-to-q`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Real>,
    /// For `loss-quantile-p` and `loss-quantile-q`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub u: Option<Real>,
}

impl<O> Default for Point<O> {
    fn default() -> Self {
        Point {
            epsilon: None,
            delta: None,
            alpha: None,
            order: None,
            fpr: None,
            prior: None,
            slope: None,
            x: None,
            p: None,
            loss: None,
            u: None,
        }
    }
}

impl Point {
    /// The place of the coordinate of a name.
    #[cfg(feature = "cli")]
    pub fn named(&mut self, name: &str) -> Option<&mut Option<Real>> {
        Some(match name {
            "epsilon" => &mut self.epsilon,
            "delta" => &mut self.delta,
            "alpha" => &mut self.alpha,
            "order" => &mut self.order,
            "fpr" => &mut self.fpr,
            "prior" => &mut self.prior,
            "slope" => &mut self.slope,
            "x" => &mut self.x,
            "p" => &mut self.p,
            "loss" => &mut self.loss,
            "u" => &mut self.u,
            _ => return None,
        })
    }

    /// The coordinates by name.
    pub fn coordinates(self) -> [(&'static str, Option<Real>); 11] {
        let Point { epsilon, delta, alpha, order, fpr, prior, slope, x, p, loss, u } = self;
        [
            ("epsilon", epsilon),
            ("delta", delta),
            ("alpha", alpha),
            ("order", order),
            ("fpr", fpr),
            ("prior", prior),
            ("slope", slope),
            ("x", x),
            ("p", p),
            ("loss", loss),
            ("u", u),
        ]
    }
}

/// An order as it stands in JSON: a number, or the limit of all.
pub enum Order {
    At(Real),
    Infinite,
}

/// The word for the infinite order.
const INFINITE: &str = "inf";

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Whatever is not that word is read as any other number is.
        struct NumberOrWord;
        impl<'de> Visitor<'de> for NumberOrWord {
            type Value = Order;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a constant as a string, such as \"3/2\", or \"inf\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Order, E> {
                if text == INFINITE {
                    return Ok(Order::Infinite);
                }
                Real::deserialize(text.into_deserializer()).map(Order::At)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Order, E> {
                Real::deserialize(value.into_deserializer()).map(Order::At)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Order, E> {
                Real::deserialize(value.into_deserializer()).map(Order::At)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Order, E> {
                Real::deserialize(value.into_deserializer()).map(Order::At)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Order, A::Error> {
                Real::deserialize(MapAccessDeserializer::new(map)).map(Order::At)
            }
        }
        deserializer.deserialize_any(NumberOrWord)
    }
}

impl Point<Order> {
    /// The quantity and its point. The limits of Renyi divergences have their own names: the max divergence at
    /// infinity, and the Kullback-Leibler divergence at 1.
    ///
    /// # Errors
    /// [`Error::Input`] for an infinite order of anything else.
    pub fn of(self, name: QuantityName) -> Result<(QuantityName, Point), Error> {
        let Point { epsilon, delta, alpha, order, fpr, prior, slope, x, p, loss, u } = self;
        let (name, order) = match order {
            Some(Order::Infinite) if name == QuantityName::Renyi => (QuantityName::Max, None),
            Some(Order::Infinite) => return Err(Error::input("only a Renyi divergence can have the order \"inf\"")),
            Some(Order::At(order)) if name == QuantityName::Renyi && order == Real::one() => (QuantityName::Kl, None),
            Some(Order::At(order)) => (name, Some(order)),
            None => (name, None),
        };
        Ok((name, Point { epsilon, delta, alpha, order, fpr, prior, slope, x, p, loss, u }))
    }
}
