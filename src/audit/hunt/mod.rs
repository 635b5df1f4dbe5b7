//! Random queries in regimes where arithmetic fails, simplified as long as they still fail.
//!
//! A hunt of one API has three parts. It probes which kinds the package supports ([`kind`]). It sends random queries of
//! these kinds until its time expires ([`generate`]). It simplifies one example of each [`failure`] as long as it fails
//! in the same way ([`shrink`]). The random queries depend only on the seed and their index, so more time extends the
//! same sequence. Findings are reported immediately.
//!
//! **When it ends.** The first two parts share the time of the plan, the third may take half as much again; the clock
//! of each starts when the package is loaded. What is on its way when the time is over is waited for, within its limit.

mod failure;
mod generate;
mod kind;
mod random;
mod shrink;
mod simpler;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
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

/// Maximum number of claims waiting for judgement; then the program waits.
const BACKLOG: usize = 16;

/// A program that was met alive may die so often at random questions before it answers one.
const HOPE: u32 = 20;

/// How a hunt is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How long one API is asked, but for what makes failures simpler.
    pub time: Duration,
    /// Which questions.
    pub seed: u64,
    /// The limits.
    pub settings: Settings,
}

/// Progress events of a hunt.
pub trait Listener: Sync {
    /// It begins to hunt this one.
    fn hunts(&self, target: &Target);
    /// Current activity, number of random queries, and number of kinds of failures found.
    fn asked(&self, doing: &str, questions: usize, failures: usize);
    /// Something that the report does not show.
    fn says(&self, what: &str);
    /// A question was judged, or the simplest example of a failure is found: at once, for whatever comes may end the
    /// hunt.
    fn found(&self, judgements: &[Judgement]);
}

/// What came of hunting one API.
#[derive(Clone, Debug)]
pub struct Catch {
    /// How it went.
    pub course: Course,
    /// The random questions that were asked, judged, in their order.
    pub judgements: Vec<Judgement>,
    /// An example of each failure.
    pub examples: Vec<Example>,
}

/// One kind of failure.
#[derive(Clone, Debug)]
pub struct Example {
    /// The simplest question that fails so.
    pub simplest: Judgement,
    /// The random question that fails worst, if that is worse.
    pub worst: Option<Judgement>,
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
    let started = Instant::now();
    let (kinds, learning) = hunter.learn(listener);
    let mut catch = Catch { course: course.clone(), judgements: Vec::new(), examples: Vec::new() };
    let mut gave_up = learning.gave_up.clone();
    let mut interviews = vec![learning];
    if gave_up.is_none() && kinds.is_empty() {
        let Party { peer, api, .. } = hunter.party();
        listener.says(&format!("{peer} {api} supports no query that --hunt generates"));
    }
    if gave_up.is_none() && !kinds.is_empty() {
        let (judged, searching) = hunter.search(&kinds, started.elapsed(), listener);
        gave_up.clone_from(&searching.gave_up);
        interviews.push(searching);
        let failures = representatives(&judged);
        course.questions = judged.iter().map(|judged| judged.place + 1).max().unwrap_or(0);
        let worst: Vec<Judgement> = failures.iter().map(|found| found.worst.clone()).collect();
        let mut shrinks: Vec<Shrink> =
            failures.into_iter().map(|found| Shrink::new(found.failure, found.question, found.judgement)).collect();
        let examples = RefCell::new(Vec::new());
        let done = |shrink: &Shrink, place: usize| {
            let mut simplest = shrink.judgement.clone();
            let worst = worst.get(place).filter(|worst| is_worse(worst, &simplest)).cloned();
            if let Some(worst) = &worst {
                tell_worst(&mut simplest, worst);
            }
            simplest.party = hunter.party();
            listener.found(std::slice::from_ref(&simplest));
            examples.borrow_mut().push(Example { simplest, worst });
        };
        if gave_up.is_none() && !shrinks.is_empty() {
            let (simpler, shrinking) = hunter.shrink(shrinks, course.questions, &done, listener);
            shrinks = simpler;
            interviews.push(shrinking);
        }
        // Those that no time was left for, as they were met.
        let before = examples.borrow().len();
        for (place, shrink) in shrinks.iter().enumerate().skip(before) {
            done(shrink, place);
        }
        catch.examples = examples.into_inner();
        let all = judged.into_iter().flat_map(|judged| judged.judgements);
        // Unsupported queries are not reported.
        catch.judgements = all.filter(|judgement| judgement.verdict != Verdict::Unsupported).collect();
    }
    course.party = hunter.party();
    course.restarts = interviews.iter().map(|interview| interview.restarts).sum();
    course.talk = interviews.iter().map(|interview| interview.talk).sum();
    course.gave_up = gave_up.map(|why| match why {
        GaveUp::NeverStarts(why) => why,
        GaveUp::Stopped => "interrupted".to_string(),
    });
    let shown = catch.examples.iter_mut().flat_map(|example| [Some(&mut example.simplest), example.worst.as_mut()]);
    for judgement in catch.judgements.iter_mut().chain(shown.flatten()) {
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

/// A length of time that begins with the first word of the program.
struct Clock {
    begun: OnceLock<Instant>,
    length: Duration,
}

impl Clock {
    fn new(length: Duration) -> Self {
        Clock { begun: OnceLock::new(), length }
    }

    fn start(&self) {
        self.begun.get_or_init(Instant::now);
    }

    fn elapsed(&self) -> Duration {
        self.begun.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    fn is_over(&self) -> bool {
        self.elapsed() >= self.length
    }
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

    /// The kinds of queries that return a number. Kinds that fail in the easiest cases are skipped, unless no kind
    /// returns a number.
    fn learn(&self, listener: &impl Listener) -> (Vec<Kind>, Interview) {
        let mut probes = Vec::new();
        for kind in Kind::all() {
            for (index, mut probe) in kind.probes().into_iter().enumerate() {
                probe.id = format!("probe-{:?}-{}-{index}", kind.family, kind.asked.name()).to_lowercase();
                probes.push((kind, Arc::new(probe)));
            }
        }
        let [met, broke, refused]: [RefCell<BTreeSet<Kind>>; 3] = Default::default();
        let first = RefCell::new(None);
        let mut left = probes.iter().map(|(_, probe)| Arc::clone(probe));
        listener.asked("probing supported queries", 0, 0);
        let clock = Clock::new(self.plan.time / 2);
        let source = || if clock.is_over() { None } else { left.next() };
        // Each probe may end a life.
        let limits = Limits { deaths: u32::try_from(probes.len()).unwrap_or(u32::MAX), ..self.limits(Limits::HANGS) };
        let interview = interview(&self.target.launch, limits, source, self.stop, |event| {
            clock.start();
            let (question, heard, message) = match event {
                Event::Hello(hello) => return self.introduce(&hello),
                Event::Claim(question, claim, _) if claim.unsupported => (question, &refused, None),
                Event::Claim(question, claim, _) => match claim.error {
                    Some(error) => (question, &broke, Some(error)),
                    None => (question, &met, None),
                },
                Event::Fault(question, _, message, _) => (question, &broke, Some(message)),
            };
            let kind = probes.iter().find(|(_, probe)| probe.id == question.id).map(|(kind, _)| *kind);
            heard.borrow_mut().extend(kind);
            if let Some(message) = message {
                first.borrow_mut().get_or_insert_with(|| format!("{message} [{}]", question.mechanism()));
            }
        });
        let (met, broke, refused) = (met.into_inner(), broke.into_inner(), refused.into_inner());
        let left_out = broke.difference(&met).count();
        if let Some(message) = first.into_inner().filter(|_| left_out > 0 && !met.is_empty()) {
            listener
                .says(&format!("skipping kinds of queries whose simplest case gave no number ({left_out}): {message}"));
        }
        let offered = Kind::all().into_iter().filter(|kind| {
            let unasked = !broke.contains(kind) && !refused.contains(kind);
            // What there was no time for is likely to break where others did.
            met.contains(kind) || (unasked && broke.is_empty()) || (met.is_empty() && !refused.contains(kind))
        });
        (offered.collect(), interview)
    }

    /// Random questions until the time is over, judged in another thread.
    fn search(&self, kinds: &[Kind], learned: Duration, listener: &impl Listener) -> (Vec<Judged>, Interview) {
        let time = self.plan.time.saturating_sub(learned).max(self.plan.time / 2);
        let clock = Clock::new(time);
        let place = Cell::new(0_u64);
        let failures = Mutex::new(BTreeSet::new());
        let (give, take) = mpsc::sync_channel::<(Arc<Question>, What)>(BACKLOG);
        let results: Mutex<Vec<Judged>> = Mutex::default();
        let interview = std::thread::scope(|scope| {
            scope.spawn(|| {
                for (question, what) in take {
                    // The rest of a hunt that was stopped, or that waits for truths alone, is not waited for.
                    if self.stop.load(Ordering::Relaxed) || clock.elapsed() > time + time / 4 {
                        continue;
                    }
                    let judgements = self.judged(&question, what);
                    let found = judgements.iter().filter_map(|judgement| Failure::of(&question, judgement));
                    failures.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                    // Unsupported queries are not reported.
                    if judgements.iter().any(|judgement| judgement.verdict != Verdict::Unsupported) {
                        listener.found(&judgements);
                    }
                    let digits = question.id.rsplit('-').next().and_then(|digits| digits.parse().ok());
                    let judged = Judged { place: digits.unwrap_or(0), question, judgements };
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(judged);
                }
            });
            let source = || {
                if clock.is_over() {
                    return None;
                }
                let question = generate::question(self.plan.seed, place.get(), kinds).map(Arc::new);
                place.set(place.get() + 1);
                let found = failures.lock().unwrap_or_else(PoisonError::into_inner).len();
                let left = time.saturating_sub(clock.elapsed()).as_secs();
                listener.asked(&format!("searching, {left} s left"), place.get() as usize, found);
                question
            };
            // Here every question counts, also that about a mechanism that hung before.
            let limits = Limits { deaths: HOPE, ..self.limits(u32::MAX) };
            let interview = interview(&self.target.launch, limits, source, self.stop, |event| {
                clock.start();
                match event {
                    Event::Hello(hello) => self.introduce(&hello),
                    Event::Claim(question, claim, seconds) => {
                        let _ = give.send((question, What::Claim(claim, seconds)));
                    }
                    Event::Fault(question, reason, message, seconds) => {
                        let _ = give.send((question, What::Fault(reason, message, seconds)));
                    }
                }
            });
            drop(give);
            interview
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|judged| judged.place);
        (results, interview)
    }

    /// Simpler questions, one after the other: which comes next depends on what came of the last. Each failure has its
    /// share of the time that is left.
    fn shrink(
        &self,
        shrinks: Vec<Shrink>,
        questions: usize,
        done: &impl Fn(&Shrink, usize),
        listener: &impl Listener,
    ) -> (Vec<Shrink>, Interview) {
        let total = shrinks.len();
        let shrinks = RefCell::new(shrinks);
        let current = Cell::new(0_usize);
        let clock = Clock::new(self.plan.time / 2);
        let until = Cell::new(None);
        let limits = Limits { window: 1, ..self.limits(u32::MAX) };
        let source = || {
            loop {
                let place = current.get();
                let mut shrinks = shrinks.borrow_mut();
                let shrink = shrinks.get_mut(place)?;
                let end = until.get().unwrap_or_else(|| {
                    listener.asked(&format!("simplifying failure {} of {total}", place + 1), questions, total);
                    let left = (self.plan.time / 2).saturating_sub(clock.elapsed());
                    clock.elapsed() + left / u32::try_from(total - place).unwrap_or(u32::MAX)
                });
                until.set(Some(end));
                if clock.elapsed() < end
                    && let Some(question) = shrink.next()
                {
                    return Some(Arc::new(question));
                }
                done(shrink, place);
                current.set(place + 1);
                until.set(None);
            }
        };
        let interview = interview(&self.target.launch, limits, source, self.stop, |event| {
            clock.start();
            let (question, what) = match event {
                Event::Hello(_) => return,
                Event::Claim(question, claim, seconds) => (question, What::Claim(claim, seconds)),
                Event::Fault(question, reason, message, seconds) => (question, What::Fault(reason, message, seconds)),
            };
            let judgements = self.judged(&question, what);
            if let Some(shrink) = shrinks.borrow_mut().get_mut(current.get()) {
                shrink.told(&question, &judgements);
            }
        });
        (shrinks.into_inner(), interview)
    }

    fn limits(&self, hangs: u32) -> Limits {
        Limits { hangs, ..self.plan.settings.limits }
    }

    fn judged(&self, question: &Question, what: What) -> Vec<Judgement> {
        let party = self.party();
        match what {
            What::Claim(claim, wall) => {
                let judgements = judge(self.oracle, &party, question, &claim, wall);
                if self.oracle.alarm().is_some() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                judgements
            }
            What::Fault(reason, message, wall) => vec![fault(&party, question, reason, message, wall)],
        }
    }
}

/// A kind of failure that was found.
struct Found {
    failure: Failure,
    /// The first that matters, or else the first.
    question: Question,
    judgement: Judgement,
    /// The one that is furthest off.
    worst: Judgement,
}

/// One example of each failure.
fn representatives(judged: &[Judged]) -> Vec<Found> {
    let mut found: BTreeMap<Failure, Found> = BTreeMap::new();
    for Judged { question, judgements, .. } in judged {
        for judgement in judgements {
            let Some(failure) = Failure::of(question, judgement) else { continue };
            let first = || Found {
                failure,
                question: Question::clone(question),
                judgement: judgement.clone(),
                worst: judgement.clone(),
            };
            let before = found.entry(failure).or_insert_with(first);
            if !matters(&before.judgement) && matters(judgement) {
                before.question = Question::clone(question);
                before.judgement = judgement.clone();
            }
            if (matters(judgement), judgement.severity()) > (matters(&before.worst), before.worst.severity()) {
                before.worst = judgement.clone();
            }
        }
    }
    // The unsound first, the worst of them first.
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by_key(|found| match found.failure.how {
        How::Unsound(size) => (0, std::cmp::Reverse(Some(size))),
        How::Failed(_) => (1, std::cmp::Reverse(None)),
    });
    found
}

/// The simplest is rarely the worst.
fn is_worse(worst: &Judgement, simplest: &Judgement) -> bool {
    simplest.verdict == Verdict::Unsound && worst.severity() > simplest.severity()
}

/// Say of the simplest which is the worst.
fn tell_worst(simplest: &mut Judgement, worst: &Judgement) {
    let off = match (&worst.delta_at_claim, &worst.ratio) {
        (Some(delta), _) => format!("true delta {} times the target", delta.multiple),
        (None, Some(ratio)) => format!("ratio {ratio}"),
        (None, None) => return,
    };
    let told = format!("worst case found: {off}, {} of {} [{}]", worst.quantity.name(), worst.mechanism, worst.id);
    simplest.message = Some(match simplest.message.take() {
        Some(message) => format!("{message}; {told}"),
        None => told,
    });
}
