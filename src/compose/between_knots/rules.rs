//! The rules of Gauss and Legendre that panels take, each made once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::compose::gauss_legendre::Rule;
use crate::error::Error;
use enclosure::Enclosure;

/// Bits of rules are rounded up to a multiple of this, for a rule to serve many.
const WORD: u32 = 64;

/// Rules that were made, their nodes and weights enclosed.
#[derive(Default)]
pub(super) struct Rules(BTreeMap<u32, Vec<(Enclosure, Enclosure)>>);

impl Rules {
    /// The rule of so many nodes, always to the same precision.
    ///
    /// # Errors
    /// As of [`Rule::new`].
    pub fn of(&mut self, nodes: u32, bits: u32) -> Result<&[(Enclosure, Enclosure)], Error> {
        if let Entry::Vacant(place) = self.0.entry(nodes) {
            let rule = Rule::kept(nodes, bits.next_multiple_of(WORD))?;
            let node = |x: &rug::Float| Enclosure::new(x.clone(), x.clone()).widen(&rule.reach).with_bits(bits);
            place.insert(rule.points.iter().map(|(x, weight)| (node(x), weight.with_bits(bits))).collect());
        }
        Ok(self.0.get(&nodes).map_or(&[], Vec::as_slice))
    }
}
