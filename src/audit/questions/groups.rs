//! What questions there are, and what they are for: those whose ids differ in their numbers alone are a group.

use std::collections::BTreeMap;

use dpcert_vectors::VectorSet;
use serde::Serialize;

use crate::audit::question::{Asked, Question};

/// Questions of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// How their ids begin: what `--only` takes.
    pub name: String,
    /// How many.
    pub questions: usize,
    /// The quantity.
    pub quantity: Asked,
    /// Of what.
    pub title: String,
    /// What they are for.
    pub about: String,
}

/// The groups of these questions, in the order in which they are asked.
pub fn groups(set: &VectorSet, questions: &[Question]) -> Vec<Group> {
    let mut told = BTreeMap::new();
    for (file, case) in set.cases() {
        told.entry(name(&case.id)).or_insert_with(|| (file.title.clone(), file.about.clone()));
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for question in questions {
        let name = name(&question.id);
        let place = *places.entry(name).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.questions += 1,
            None => {
                let own = || (question.mechanism(), question.comment.clone());
                let (title, about) = told.get(name).cloned().unwrap_or_else(own);
                groups.push(Group { name: name.to_string(), questions: 1, quantity: question.asked, title, about });
            }
        }
    }
    groups
}

/// An id without its number.
fn name(id: &str) -> &str {
    id.trim_end_matches(|sign: char| sign.is_ascii_digit()).trim_end_matches('-')
}
