//! Engines in turn: what one cannot decide, the next one may.
//!
//! The order is that of [`choose`](super::choose): from exact engines to rounded ones. Every engine certifies what it
//! says, so any of them may give the answer; the first that gives one is the same whatever was asked before.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Method;
use super::choose::{AT_HAND, LIGHT, Ready, Refusal, Rough, Shared, at_hand, in_order, nobody_composes, rough};
use super::engine::{Engine, LISTS};
use super::grid::is_sought;
use crate::alarm::declined;
use crate::curve::Curve;
use crate::error::Error;
use crate::mechanism::Composition;
use crate::pair::Product;
use enclosure::{Budget, Reason};

/// All engines for one composition, each built when it is first needed.
pub struct Engines {
    mechanism: Composition,
    product: OnceLock<Result<Product, Error>>,
    method: Method,
    built: [OnceLock<Ready>; Engine::ALL.len()],
    /// Cheap curves, for enclosures of low precision.
    rough: Mutex<Vec<(Rough, Cheap)>>,
    grid: Shared,
}

/// A curve of few digits, if there is one of its kind.
type Cheap = Option<Arc<dyn Curve>>;

/// The part of the work that is left which one engine may take: the others have their turn, too.
const SHARE: (u32, u32) = (3, 4);

impl Engines {
    /// Nothing is built yet.
    pub fn new(mechanism: Composition, method: Method) -> Self {
        Engines {
            mechanism,
            product: OnceLock::new(),
            method,
            built: Default::default(),
            rough: Mutex::default(),
            grid: Shared::default(),
        }
    }

    /// For a product that no composition stands for, as what is inside of a derived pair: by any method.
    pub fn inside(product: Product) -> Self {
        let engines = Engines::new(Composition::default(), Method::Auto);
        Engines { product: OnceLock::from(product.simplified()), ..engines }
    }

    /// The composition.
    pub fn mechanism(&self) -> &Composition {
        &self.mechanism
    }

    /// The kind of engine that is asked for.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What the composition means, in order.
    fn product(&self) -> Result<&Product, Error> {
        self.product.get_or_init(|| Product::new(self.mechanism.pairs()?).simplified()).as_ref().map_err(Clone::clone)
    }

    /// The engine, if it supports the composition. Threads that arrive together may each build it; one result is
    /// stored, and no thread waits.
    fn ready(&self, engine: Engine, product: &Product, budget: &Budget) -> Result<&Ready, Refusal> {
        let slot = self.built.get(engine as usize).ok_or(Refusal::OtherKind)?;
        if let Some(ready) = slot.get() {
            return Ok(ready);
        }
        let ready = engine.offer(product, self.method, &self.grid, budget)?;
        Ok(slot.get_or_init(|| ready))
    }

    /// The first answer to a question, by the engines in turn.
    ///
    /// # Errors
    /// An error in the query, from the first engine that reports one; [`Error::Undecided`] with the reason of each
    /// engine that was tried.
    pub fn ask<T>(
        &self,
        budget: &Budget,
        mut question: impl FnMut(&dyn Curve, &Budget) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let product = self.product()?;
        let mut reasons: Vec<Reason> = Vec::new();
        let share = || if self.method == Method::Auto { budget.share(SHARE, None) } else { budget.clone() };
        let offer = |engine| self.ready(engine, product, &share());
        // Inside: an answer, or that no work is left for another engine.
        let taken = in_order(product, self.method, offer, |offer| {
            let answer = match offer {
                Err(Refusal::OtherKind) => return None,
                Err(Refusal::Unable(error)) => Err(error),
                Ok(ready) => question(ready.curve.as_ref(), &share()),
            };
            match answer {
                Err(Error::Undecided(reason)) if reasons.contains(&reason) => {}
                Err(Error::Undecided(reason)) => reasons.push(reason),
                other => return Some(Some(other)),
            }
            budget.check().is_err().then_some(None)
        });
        match taken.flatten() {
            Some(answer) => answer,
            None if reasons.is_empty() => Err(nobody_composes(product)),
            None => Err(Error::Undecided(Reason::joined(reasons, "; next method: "))),
        }
    }

    /// Does an engine [at hand](at_hand) take the composition, with little work?
    pub fn is_light(&self) -> bool {
        self.method == Method::Auto && self.product().is_ok_and(|product| at_hand(product, LIGHT).is_some())
    }

    /// The answer by the engine [at hand](at_hand); `None` if there is none, or if it does not decide the question.
    ///
    /// # Errors
    /// Errors in the query, and alarms.
    pub fn at_hand<T>(
        &self,
        budget: &Budget,
        question: impl FnOnce(&dyn Curve, &Budget) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let product = self.product()?;
        let Some(engine) = at_hand(product, AT_HAND).filter(|_| self.method == Method::Auto) else { return Ok(None) };
        match self.ready(engine, product, budget) {
            Ok(ready) => declined(question(ready.curve.as_ref(), budget)),
            Err(Refusal::Unable(error)) if error.is_alarm() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The curve whose answers enclose the truth to few digits, or to none; `None` if there is none of this kind.
    ///
    /// # Errors
    /// Those of [`rough`].
    pub fn rough(&self, how: Rough, budget: &Budget) -> Result<Cheap, Error> {
        let kept = || self.rough.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, curve)) = kept().iter().find(|(kind, _)| *kind == how) {
            return Ok(curve.clone());
        }
        let curve = rough(self.product()?, how, &self.grid, budget)?.map(Arc::from);
        // Where no grid was asked one may be yet.
        if how != Rough::Told || curve.is_some() {
            kept().push((how, curve.clone()));
        }
        Ok(curve)
    }

    /// How many curves of few digits were looked for, in tests.
    #[cfg(test)]
    pub fn rough_count(&self) -> usize {
        self.rough.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Are there polynomials between knots, whose work is counted before it is begun and hardly grows with the digits?
    pub fn has_polynomials(&self, budget: &Budget) -> bool {
        let Ok(product) = self.product() else { return false };
        let first = LISTS.iter().find(|engine| self.ready(**engine, product, budget).is_ok());
        first == Some(&Engine::BetweenKnots)
    }

    /// Does a grid seek points of a profile one by one?
    pub fn seeks_profiles(&self) -> bool {
        self.product().is_ok_and(is_sought)
    }
}
