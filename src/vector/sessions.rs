//! Compositions kept open: neighbouring questions are about the same one, and its curve is built once for all of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::answer::{Answer, Session};
use crate::approximate::Expansions;
use crate::error::Error;
use crate::query::Query;
use enclosure::Budget;

/// Number of open sessions. Each may hold the masses of a lattice, or the nodes of some contours.
const MOST: usize = 12;

/// The most recent compositions, newest first.
///
/// A session answers as if it were asked once: neither order nor threads change an answer that has the digits that were
/// asked for, as all here have. Where they fall short it tells what was proven before, too.
#[derive(Default)]
pub struct Sessions {
    open: Mutex<VecDeque<Arc<Session>>>,
    /// Expansions of compositions.
    pub(super) expansions: Expansions,
}

impl Sessions {
    /// [`answer`](crate::answer::answer), with what is known from earlier questions.
    pub fn answer(&self, query: &Query, budget: &Budget) -> Result<Answer, Error> {
        self.session(query).answer(query, budget)
    }

    /// Keep what others asked last: a composition, and perhaps one nearby.
    pub fn adopt(&self, others: Sessions) {
        let others = others.open.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for session in others.into_iter().take(2).rev() {
            open.push_front(session);
        }
        open.truncate(MOST);
    }

    fn session(&self, query: &Query) -> Arc<Session> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().position(|session| session.serves(query)).and_then(|place| open.remove(place));
        let session = found.unwrap_or_else(|| Arc::new(Session::new(query.mechanism.clone(), query.method)));
        open.push_front(Arc::clone(&session));
        open.truncate(MOST);
        session
    }
}
