//! Questions that nobody wrote down: random ones where arithmetic breaks, and the simplest that still fail.
//!
//! A hunt of one API has three parts. It learns what the package offers ([`kind`]); it asks random questions of these
//! kinds until its time is over ([`generate`]); it takes one example of each [`failure`] and makes it simpler as long as
//! it fails the same way ([`shrink`]). The questions of the second part are drawn from the seed and their place alone:
//! more time asks more of the same sequence.

mod failure;
mod generate;
mod kind;
mod random;
mod shrink;
mod simpler;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use failure::{Failure, How, matters};
use kind::Kind;
use shrink::Shrink;

use super::judge::{fault, judge};
use super::judgement::{Judgement, Party, Reason, Verdict};
use super::process::{Event, GaveUp, Interview, Limits, interview};
use super::protocol::Claim;
use super::question::Question;
use super::report::Course;
use super::run::{Settings, Target};
use super::truth::Oracle;

/// So many claims may wait for their judgement; then the program waits.
const BACKLOG: usize = 16;

/// How a hunt is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How long random questions are asked of one API.
    pub time: Duration,
    /// Which questions.
    pub seed: u64,
    /// The limits.
    pub settings: Settings,
}

/// What a hunt tells while it works.
pub trait Listener: Sync {
    /// It begins to hunt this one.
    fn hunts(&self, target: &Target);
    /// What is asked now, how many random questions were asked, and how many failures of different kinds were found.
    fn asked(&self, doing: &str, questions: usize, failures: usize);
}

/// What came of hunting one API.
#[derive(Clone, Debug)]
pub struct Catch {
    /// How it went.
    pub course: Course,
    /// The random questions that were asked, judged, in their order.
    pub judgements: Vec<Judgement>,
    /// The simplest example of each failure.
    pub simplest: Vec<Judgement>,
}

/// Hunt one API.
pub fn hunt(target: &Target, plan: &Plan, oracle: &Oracle, stop: &AtomicBool, listener: &impl Listener) -> Catch {
    listener.hunts(target);
    let hunter = Hunter { target, plan, oracle, stop, party: Mutex::new(target.party.clone()) };
    let mut course = Course {
        party: target.party.clone(),
        documentation: target.documentation.clone(),
        questions: 0,
        restarts: 0,
        talk: 0,
        gave_up: None,
    };
    let (kinds, learning) = hunter.learn(listener);
    let mut catch = Catch { course: course.clone(), judgements: Vec::new(), simplest: Vec::new() };
    let mut gave_up = learning.gave_up.clone();
    let mut interviews = vec![learning];
    if gave_up.is_none() && !kinds.is_empty() {
        let (judged, searching) = hunter.search(&kinds, listener);
        gave_up.clone_from(&searching.gave_up);
        interviews.push(searching);
        let failures = representatives(&judged);
        course.questions = judged.iter().map(|judged| judged.place + 1).max().unwrap_or(0);
        let total = failures.len();
        for (done, (failure, question, judgement)) in failures.into_iter().enumerate() {
            let shrink = Shrink::new(failure, question, judgement);
            if gave_up.is_some() {
                catch.simplest.push(shrink.judgement);
                continue;
            }
            listener.asked(&format!("making {} of {total} failures simpler", done + 1), course.questions, total);
            let (judgement, shrinking) = hunter.shrink(shrink);
            catch.simplest.push(judgement);
            interviews.push(shrinking);
        }
        let all = judged.into_iter().flat_map(|judged| judged.judgements);
        // What it does not offer is no news in a hunt.
        catch.judgements = all.filter(|judgement| judgement.verdict != Verdict::Unsupported).collect();
    }
    course.party = hunter.party();
    course.restarts = interviews.iter().map(|interview| interview.restarts).sum();
    course.talk = interviews.iter().map(|interview| interview.talk).sum();
    course.gave_up = gave_up.map(|why| match why {
        GaveUp::NeverStarts(why) => why,
        GaveUp::Stopped => "interrupted".to_string(),
    });
    for judgement in catch.judgements.iter_mut().chain(&mut catch.simplest) {
        judgement.party = course.party.clone();
    }
    catch.course = course;
    catch
}

/// A question and what came of it.
struct Judged {
    place: usize,
    question: Arc<Question>,
    judgements: Vec<Judgement>,
}

/// What came for a question, before it is judged.
enum What {
    Claim(Box<Claim>, f64),
    Fault(Reason, String, f64),
}

struct Hunter<'a> {
    target: &'a Target,
    plan: &'a Plan,
    oracle: &'a Oracle,
    stop: &'a AtomicBool,
    party: Mutex<Party>,
}

impl Hunter<'_> {
    fn party(&self) -> Party {
        self.party.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn introduce(&self, hello: &super::protocol::Hello) {
        let mut party = self.party.lock().unwrap_or_else(PoisonError::into_inner);
        if !hello.version.is_empty() {
            party.version.clone_from(&hello.version);
        }
        if self.target.anonymous && !hello.name.is_empty() {
            (party.peer, party.api) = (hello.name.clone(), hello.api.clone());
        }
    }

    /// The kinds of questions that get an answer.
    fn learn(&self, listener: &impl Listener) -> (Vec<Kind>, Interview) {
        let mut probes = Vec::new();
        for kind in Kind::all() {
            for (index, mut probe) in kind.probes().into_iter().enumerate() {
                probe.id = format!("probe-{:?}-{}-{index}", kind.family, kind.asked.name()).to_lowercase();
                probes.push((kind, Arc::new(probe)));
            }
        }
        let offered: RefCell<BTreeSet<Kind>> = RefCell::default();
        let mut left = probes.iter().map(|(_, probe)| Arc::clone(probe));
        listener.asked("learning what it offers", 0, 0);
        let interview = interview(
            &self.target.launch,
            self.limits(),
            || left.next(),
            self.stop,
            |event| match event {
                Event::Hello(hello) => self.introduce(&hello),
                Event::Claim(question, claim, _) if !claim.unsupported => {
                    let kind = probes.iter().find(|(_, probe)| probe.id == question.id).map(|(kind, _)| *kind);
                    offered.borrow_mut().extend(kind);
                }
                Event::Claim(..) | Event::Fault(..) => {}
            },
        );
        (offered.into_inner().into_iter().collect(), interview)
    }

    /// Random questions until the time is over, judged in another thread.
    fn search(&self, kinds: &[Kind], listener: &impl Listener) -> (Vec<Judged>, Interview) {
        let started = Instant::now();
        let place = Cell::new(0_u64);
        let failures = Mutex::new(BTreeSet::new());
        let (give, take) = mpsc::sync_channel::<(Arc<Question>, What)>(BACKLOG);
        let results: Mutex<Vec<Judged>> = Mutex::default();
        let interview = std::thread::scope(|scope| {
            scope.spawn(|| {
                for (question, what) in take {
                    // The rest of a hunt that was stopped is not waited for.
                    if self.stop.load(Ordering::Relaxed) {
                        continue;
                    }
                    let judgements = self.judged(&question, what);
                    let found = judgements.iter().filter_map(|judgement| Failure::of(&question, judgement));
                    failures.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                    let digits = question.id.rsplit('-').next().and_then(|digits| digits.parse().ok());
                    let judged = Judged { place: digits.unwrap_or(0), question, judgements };
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(judged);
                }
            });
            let source = || {
                if started.elapsed() >= self.plan.time {
                    return None;
                }
                let question = generate::question(self.plan.seed, place.get(), kinds).map(Arc::new);
                place.set(place.get() + 1);
                let found = failures.lock().unwrap_or_else(PoisonError::into_inner).len();
                let left = self.plan.time.saturating_sub(started.elapsed()).as_secs();
                listener.asked(&format!("hunting, {left} s left"), place.get() as usize, found);
                question
            };
            let interview = interview(&self.target.launch, self.limits(), source, self.stop, |event| match event {
                Event::Hello(hello) => self.introduce(&hello),
                Event::Claim(question, claim, seconds) => {
                    let _ = give.send((question, What::Claim(claim, seconds)));
                }
                Event::Fault(question, reason, message, seconds) => {
                    let _ = give.send((question, What::Fault(reason, message, seconds)));
                }
            });
            drop(give);
            interview
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|judged| judged.place);
        (results, interview)
    }

    /// Simpler questions, one after the other: which comes next depends on what came of the last.
    fn shrink(&self, shrink: Shrink) -> (Judgement, Interview) {
        let shrink = RefCell::new(shrink);
        let limits = Limits { window: 1, ..self.limits() };
        let source = || shrink.borrow_mut().next().map(Arc::new);
        let interview = interview(&self.target.launch, limits, source, self.stop, |event| {
            let (question, what) = match event {
                Event::Hello(_) => return,
                Event::Claim(question, claim, seconds) => (question, What::Claim(claim, seconds)),
                Event::Fault(question, reason, message, seconds) => (question, What::Fault(reason, message, seconds)),
            };
            let judgements = self.judged(&question, what);
            shrink.borrow_mut().told(&question, &judgements);
        });
        (shrink.into_inner().judgement, interview)
    }

    fn limits(&self) -> Limits {
        self.plan.settings.limits
    }

    fn judged(&self, question: &Question, what: What) -> Vec<Judgement> {
        let party = self.party();
        match what {
            What::Claim(claim, wall) => judge(self.oracle, &party, question, &claim, wall),
            What::Fault(reason, message, wall) => vec![fault(&party, question, reason, message, wall)],
        }
    }
}

/// One example of each failure: the first that matters, or else the first.
fn representatives(judged: &[Judged]) -> Vec<(Failure, Question, Judgement)> {
    let mut found: BTreeMap<Failure, (Question, Judgement)> = BTreeMap::new();
    for Judged { question, judgements, .. } in judged {
        for judgement in judgements {
            let Some(failure) = Failure::of(question, judgement) else { continue };
            let better = match found.get(&failure) {
                None => true,
                Some((_, before)) => !matters(before) && matters(judgement),
            };
            if better {
                found.insert(failure, (Question::clone(question), judgement.clone()));
            }
        }
    }
    // The unsound first, the worst of them first.
    let mut found: Vec<(Failure, Question, Judgement)> =
        found.into_iter().map(|(failure, (question, judgement))| (failure, question, judgement)).collect();
    found.sort_by_key(|(failure, ..)| match failure.how {
        How::Unsound(size) => (0, std::cmp::Reverse(Some(size))),
        How::Failed(_) => (1, std::cmp::Reverse(None)),
    });
    found
}

/// How many of these are unsound.
pub fn unsound(catches: &[Catch]) -> usize {
    let all = catches.iter().flat_map(|catch| &catch.judgements);
    all.filter(|judgement| judgement.verdict == Verdict::Unsound).count()
}
