//! Sends queries one after the other to a program that may crash or hang.
//!
//! Two questions are always on their way, so that an answer to the wrong one can be told from a slow answer to the
//! right one; the clock of a question starts when the answer before it has come. What came for a question is handed
//! over as an [`Event`] at once.
//!
//! **It always ends**, if the questions do: every question is answered, or ends a life of the program, and after
//! two lives ended by the same question it is given up. Whatever else a program writes does not stop the clock, and a
//! life that answers the same for ever is ended. A program of which several lives passed without a readable word is
//! given up altogether; but one that has answered before is first asked again what it has answered, for it may be the
//! questions.
//!
//! **What a hang costs** is the time limit, once; the time in which the program waits for a processor does not count
//! ([`Stopwatch`]). The time to load counts until the program introduces itself; for one
//! that does not, until its first answer, and in later lives not much longer than in earlier ones. A composition at
//! which the program hung, or died for want of memory, is not asked about any more: composing is what takes long, and
//! the point at which the curve is read hardly matters. A calibration has no composition before it ends, and how long
//! it takes depends on the point; so it has a second chance.
//!
//! **A line that answers nothing** (an unknown id, an object that is no claim) counts against the oldest question, for
//! somebody meant something by it. The answer may still come after it, and is judged as well.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::child::{Launch, Output, Process, tells_of_memory};
use super::stopwatch::Stopwatch;
use crate::audit::judgement::Reason;
use crate::audit::protocol::{Claim, Hello, Line, Reply, line, read};
use crate::audit::question::{Asked, Question};

/// Starts without readable output after which the program is abandoned.
const DUMB_LIVES: u32 = 3;

/// Starts with an introduction but no answer after which the program is abandoned.
const HELPLESS_LIVES: u32 = 10;

/// Unexpected answers after which the process is restarted.
const MOST_UNASKED: u32 = 1000;

/// Lines read after the time limit in search of the answer.
const LATE_LINES: u32 = 1000;

/// How long an answer is waited for, once nothing is left to ask, to a question that was condemned before it.
const LAST_WORD: Duration = Duration::from_secs(1);

/// How often the wish to stop is looked at.
const TICK: Duration = Duration::from_millis(100);

/// How much of a line that should have been a claim is quoted.
const QUOTED: usize = 160;

/// What one question may cost, and how they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many questions are on their way at once: [`Limits::WINDOW`], or 1 if the next depends on the answer.
    pub window: usize,
    /// The time for an answer.
    pub query: Duration,
    /// More time until the introduction, or the first answer of a life: packages take theirs to load.
    pub start: Duration,
    /// Number of queries of one composition that may exceed time or memory before further ones are skipped; one more
    /// for a calibration.
    pub hangs: u32,
    /// The memory of the process, in megabytes.
    pub megabytes: u64,
    /// Additional starts without an answer before a dying program is abandoned; nonzero only if each query is of
    /// another kind.
    pub deaths: u32,
}

impl Limits {
    /// Number of queries in flight.
    pub const WINDOW: usize = 2;
    /// One hang at a composition is enough.
    pub const HANGS: u32 = 1;
}

/// What came for one question.
#[derive(Debug)]
pub enum Event {
    /// The program introduces itself.
    Hello(Hello),
    /// A claim, and how long it took to come.
    Claim(Arc<Question>, Box<Claim>, f64),
    /// No claim that can be judged: why, and how long it took to find out.
    Fault(Arc<Question>, Reason, String, f64),
}

/// How it went.
#[derive(Debug, Default)]
pub struct Interview {
    /// How often the program had to be started again.
    pub restarts: u32,
    /// Lines on standard output that were no claims.
    pub talk: u64,
    /// Why the rest of the questions was not asked.
    pub gave_up: Option<GaveUp>,
}

/// Why questions remain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// The program never starts, or never says a readable word.
    NeverStarts(String),
    /// Somebody wants the audit to stop.
    Stopped,
}

/// Ask what `source` gives until it gives no more. `tell` gets what comes, in the order in which it comes.
pub fn interview(
    launch: &Launch,
    limits: Limits,
    mut source: impl FnMut() -> Option<Arc<Question>>,
    stop: &AtomicBool,
    mut tell: impl FnMut(Event),
) -> Interview {
    let mut state = State {
        limits,
        again: VecDeque::new(),
        asked: VecDeque::new(),
        answered: HashMap::new(),
        owed: HashSet::new(),
        repeated: HashSet::new(),
        stuck: HashMap::new(),
        suspicion: None,
        since: Stopwatch::start(),
        crashed: HashSet::new(),
        spoke: false,
        warm: false,
        unasked: 0,
        useful: false,
        introduces: false,
        loaded: None,
        quickest: None,
        probe: None,
        interview: Interview::default(),
        tell: &mut tell,
    };
    let (mut process, mut lives, mut vain, mut late): (Option<Process>, u32, u32, u32) = (None, 0, 0, 0);
    loop {
        // Before a process is started for nothing.
        if state.asked.is_empty() && state.again.is_empty() {
            match state.next(&mut source) {
                Some(question) => state.again.push_back(question),
                None => {
                    if let Some(living) = &process {
                        state.hear_out(living);
                    }
                    break;
                }
            }
        }
        if stop.load(Ordering::Relaxed) {
            state.interview.gave_up = Some(GaveUp::Stopped);
            break;
        }
        let Some(living) = &mut process else {
            match Process::start(launch, limits.megabytes) {
                Ok(started) => process = Some(started),
                Err(error) => {
                    state.interview.gave_up = Some(GaveUp::NeverStarts(error.to_string()));
                    break;
                }
            }
            state.interview.restarts = lives;
            lives += 1;
            state.begin();
            continue;
        };
        while state.asked.len() < limits.window
            && let Some(question) = state.next(&mut source)
        {
            if state.asked.is_empty() && (state.warm || state.spoke) {
                state.since = Stopwatch::start();
            }
            living.send(line(&question));
            state.asked.push_back(question);
        }
        if state.asked.is_empty() {
            continue;
        }
        let allowed = state.allowed();
        let left = state.since.left(allowed);
        let over = match living.next(left.min(TICK)) {
            Output::Line(line) => {
                let since = state.since.since();
                state.take(line);
                late = if left.is_zero() && since == state.since.since() { late + 1 } else { 0 };
                if state.unasked > MOST_UNASKED {
                    Over::Flood
                } else if late > LATE_LINES {
                    Over::Hang
                } else {
                    continue;
                }
            }
            Output::Nothing if left.is_zero() => Over::Hang,
            Output::Nothing if !living.is_gone() => {
                state.since.look(living.activity());
                continue;
            }
            Output::Nothing | Output::End => Over::Death,
        };
        let Some(ended) = process.take() else { continue };
        late = 0;
        let (reason, message, never_lived) = state.story(over, ended, allowed);
        if never_lived && !state.spoke && !state.useful {
            state.interview.gave_up = Some(GaveUp::NeverStarts(message));
            break;
        }
        if state.asked.front().is_some_and(|head| state.is_probe(head)) {
            let story = format!("it no longer answers queries that it answered before: {message}");
            state.interview.gave_up = Some(GaveUp::NeverStarts(story));
            break;
        }
        vain = if state.warm || (state.useful && state.spoke) { 0 } else { vain + 1 };
        let patience = if matches!(over, Over::Death) { limits.deaths } else { 0 };
        let enough = vain >= patience.max(if state.spoke { HELPLESS_LIVES } else { DUMB_LIVES });
        // Earlier queries may be the cause, so the query is repeated in a new process.
        let head = state.asked.front().map(|question| question.id.clone()).unwrap_or_default();
        let another_chance = !matches!(over, Over::Hang) && state.warm && state.crashed.insert(head);
        if !another_chance {
            state.too_much(reason);
            state.fault_head(reason, message.clone());
        }
        state.ask_again();
        if enough && !state.probe_next() {
            let story = match over {
                Over::Hang => format!("no answer in {vain} starts with a limit of {} s each", seconds(allowed)),
                Over::Flood | Over::Death => format!("no answer in {vain} starts: {message}"),
            };
            state.interview.gave_up = Some(GaveUp::NeverStarts(story));
            break;
        }
        if enough {
            vain = 0;
        }
    }
    state.interview
}

/// How a life ended.
#[derive(Clone, Copy)]
enum Over {
    /// The time was up.
    Hang,
    /// It repeated answers to earlier queries without end.
    Flood,
    /// By itself.
    Death,
}

/// A mechanism about which an answer took too much time or memory.
struct Stuck {
    times: u32,
    /// What the first took too much of.
    reason: Reason,
    /// The first.
    id: String,
}

/// Where an interview stands.
struct State<'t> {
    limits: Limits,
    /// Queries to repeat.
    again: VecDeque<Arc<Question>>,
    /// On their way, the oldest first.
    asked: VecDeque<Arc<Question>>,
    answered: HashMap<String, Arc<Question>>,
    /// Those that were condemned by a line of this life that answered nothing: the answer may still come.
    owed: HashSet<String>,
    /// Those that were answered more than once.
    repeated: HashSet<String>,
    /// The mechanisms about which an answer took too much.
    stuck: HashMap<String, Stuck>,
    /// Lines that were no claims since the oldest question was on: perhaps its answer.
    suspicion: Option<(Reason, String)>,
    since: Stopwatch,
    crashed: HashSet<String>,
    /// Has this life said anything readable?
    spoke: bool,
    /// Has this life answered anything?
    warm: bool,
    /// Unexpected answers of this process.
    unasked: u32,
    /// Has any life answered anything?
    useful: bool,
    /// Has any life introduced itself?
    introduces: bool,
    /// The longest time until the first answer of a life.
    loaded: Option<Duration>,
    /// The question that was answered most quickly.
    quickest: Option<(f64, Arc<Question>)>,
    /// A question that was answered before, asked again to see whether the program can still answer.
    probe: Option<String>,
    interview: Interview,
    tell: &'t mut dyn FnMut(Event),
}

impl State<'_> {
    /// Why a life ended, in words, and whether there was none: nothing could be started.
    fn story(&mut self, over: Over, ended: Process, allowed: Duration) -> (Reason, String, bool) {
        match over {
            Over::Hang => {
                drop(ended);
                let said = self.suspicion.take().map(|(_, talk)| format!("; {talk}")).unwrap_or_default();
                (Reason::Hang, format!("no answer within {} s{said}", seconds(allowed)), false)
            }
            Over::Flood => {
                drop(ended);
                let message = format!("no answer, but {MOST_UNASKED} repeated answers to earlier queries");
                (Reason::Twice, message, false)
            }
            Over::Death => {
                let death = ended.end();
                let reason = if death.out_of_memory() { Reason::Memory } else { Reason::Crash };
                (reason, death.story(), death.never_lived())
            }
        }
    }

    /// A life begins.
    fn begin(&mut self) {
        (self.spoke, self.warm, self.unasked) = (false, false, 0);
        self.owed.clear();
        (self.since, self.suspicion) = (Stopwatch::start(), None);
    }

    /// The time until the next answer must be there.
    fn allowed(&self) -> Duration {
        let Limits { query, start, .. } = self.limits;
        let load = match self.loaded {
            _ if self.warm || self.spoke => Duration::ZERO,
            // Machines are not always equally busy.
            Some(loaded) if !self.introduces => start.min(loaded * 3 + Duration::from_secs(2)),
            _ => start,
        };
        query + load
    }

    /// The next question. Those about a composition at which the program hung before are answered here.
    fn next(&mut self, source: &mut impl FnMut() -> Option<Arc<Question>>) -> Option<Arc<Question>> {
        loop {
            let question = self.again.pop_front().or_else(&mut *source)?;
            let enough = self.limits.hangs.saturating_add(u32::from(question.asked == Asked::Noise));
            // One that never answered anything hangs for other reasons.
            let stuck = self.stuck.get(&steps_of(&question)).filter(|stuck| self.useful && stuck.times >= enough);
            let Some(Stuck { times, reason, id }) = stuck else { return Some(question) };
            let what = match reason {
                Reason::Memory => "exceeded the memory limit",
                _ => "exceeded the time limit",
            };
            let message = match times {
                1 => format!("skipped: {id}, of the same mechanism, {what}"),
                _ => format!("skipped: {id} and {} more of the same mechanism {what}", times - 1),
            };
            (self.tell)(Event::Fault(question, Reason::NotAsked, message, 0.0));
        }
    }

    /// The oldest question took too much time or memory.
    fn too_much(&mut self, reason: Reason) {
        if let (Some(head), Reason::Hang | Reason::Memory) = (self.asked.front(), reason) {
            let first = Stuck { times: 0, reason, id: head.id.clone() };
            self.stuck.entry(steps_of(head)).or_insert(first).times += 1;
        }
    }

    /// Ask first what was answered before, if anything was.
    fn probe_next(&mut self) -> bool {
        let Some((_, question)) = &self.quickest else { return false };
        let id = format!("{}-again", question.id);
        let probe = Question { id: id.clone(), ..Question::clone(question) };
        self.again.push_front(Arc::new(probe));
        self.probe = Some(id);
        true
    }

    fn is_probe(&self, question: &Question) -> bool {
        self.probe.as_ref() == Some(&question.id)
    }

    /// Hand over what came for a question.
    fn hand(&mut self, question: &Arc<Question>, event: Event) {
        if self.is_probe(question) {
            self.probe = None;
        } else {
            (self.tell)(event);
        }
    }

    /// A life answers for the first time.
    fn warm_up(&mut self) {
        if !self.warm {
            let took = self.since.elapsed();
            self.loaded = Some(self.loaded.map_or(took, |before| before.max(took)));
        }
        (self.spoke, self.warm, self.useful) = (true, true, true);
    }

    fn take(&mut self, line: Line) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong { start, bytes } => {
                let message = format!("a line of {bytes} bytes, beginning with {}", quoted(&start));
                if start.trim_start().starts_with('{') {
                    self.condemn_head(Reason::TooLong, message);
                } else {
                    self.talk(Reason::TooLong, message);
                }
                return;
            }
        };
        match read(&text) {
            Reply::Hello(hello) => {
                if !self.spoke {
                    // It is loaded now.
                    self.since = Stopwatch::start();
                }
                (self.spoke, self.introduces) = (true, true);
                (self.tell)(Event::Hello(hello));
            }
            Reply::Talk if text.trim().is_empty() => {}
            Reply::Talk => self.talk(Reason::Unreadable, format!("unexpected output {}", quoted(&text))),
            Reply::Unreadable(why) => {
                (self.spoke, self.warm) = (true, true);
                self.condemn_head(Reason::Unreadable, format!("{why}: {}", quoted(&text)));
            }
            Reply::Claim(claim) => {
                self.warm_up();
                self.claim(claim);
            }
        }
    }

    fn talk(&mut self, reason: Reason, message: String) {
        self.interview.talk += 1;
        if !self.asked.is_empty() {
            self.suspicion = Some((reason, message));
        }
    }

    fn claim(&mut self, claim: Box<Claim>) {
        let place = self.asked.iter().position(|question| question.id == claim.id);
        match place {
            Some(0) => self.accept(claim),
            Some(place) => {
                if let Some((reason, message)) = self.suspicion.take() {
                    // What came before was meant as the answer to the older question.
                    for _ in 0..place {
                        self.fault_head(reason, message.clone());
                    }
                    self.accept(claim);
                } else if let Some(question) = self.asked.remove(place) {
                    let older = self.asked.front().map(|older| older.id.clone()).unwrap_or_default();
                    self.answered.insert(claim.id, Arc::clone(&question));
                    let message = format!("answered before {older}, which was sent earlier");
                    let seconds = self.seconds();
                    self.hand(&Arc::clone(&question), Event::Fault(question, Reason::OutOfOrder, message, seconds));
                }
            }
            None => match self.answered.get(&claim.id).map(Arc::clone) {
                Some(question) if self.owed.remove(&claim.id) => {
                    // The clock of the next query starts now.
                    let seconds = self.seconds();
                    self.since = Stopwatch::start();
                    (self.tell)(claimed(&question, claim, seconds));
                }
                Some(question) => {
                    self.unasked += 1;
                    // Once is enough to know.
                    if !self.repeated.insert(claim.id) {
                        return;
                    }
                    let message = "second answer to the same query".to_string();
                    let seconds = self.seconds();
                    (self.tell)(Event::Fault(question, Reason::Twice, message, seconds));
                }
                None => {
                    let message = format!("answer with unknown id {}", quoted(&claim.id));
                    self.condemn_head(Reason::WrongId, message);
                }
            },
        }
    }

    /// The oldest question is answered by a line that answers nothing; perhaps another comes.
    fn condemn_head(&mut self, reason: Reason, message: String) {
        if let Some(head) = self.asked.front().filter(|head| !self.is_probe(head)) {
            self.owed.insert(head.id.clone());
        }
        self.fault_head(reason, message);
    }

    /// Nothing is left to ask, but an answer may still come.
    fn hear_out(&mut self, living: &Process) {
        let until = Instant::now() + LAST_WORD.min(self.limits.query);
        while !self.owed.is_empty() {
            match living.next(until.saturating_duration_since(Instant::now())) {
                Output::Line(line) => self.take(line),
                Output::Nothing | Output::End => return,
            }
            if Instant::now() >= until {
                return;
            }
        }
    }

    fn accept(&mut self, claim: Box<Claim>) {
        let Some(question) = self.asked.pop_front() else { return };
        let seconds = self.seconds();
        (self.since, self.suspicion) = (Stopwatch::start(), None);
        self.answered.insert(question.id.clone(), Arc::clone(&question));
        if self.quickest.as_ref().is_none_or(|(quickest, _)| seconds < *quickest) && !self.is_probe(&question) {
            self.quickest = Some((seconds, Arc::clone(&question)));
        }
        self.hand(&question, claimed(&question, claim, seconds));
        // Time spent in the callback is not the program's.
        self.since = Stopwatch::start();
    }

    /// The oldest question has no answer that can be judged.
    fn fault_head(&mut self, reason: Reason, message: String) {
        let Some(question) = self.asked.pop_front() else { return };
        let seconds = self.seconds();
        (self.since, self.suspicion) = (Stopwatch::start(), None);
        self.answered.insert(question.id.clone(), Arc::clone(&question));
        self.hand(&Arc::clone(&question), Event::Fault(question, reason, message, seconds));
        self.since = Stopwatch::start();
    }

    /// Whatever was on its way is asked again, in the next life.
    fn ask_again(&mut self) {
        while let Some(question) = self.asked.pop_back() {
            self.again.push_front(question);
        }
    }

    fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }
}

/// The event of a claim; an out-of-memory error is a fault.
fn claimed(question: &Arc<Question>, claim: Box<Claim>, seconds: f64) -> Event {
    match &claim.error {
        Some(error) if tells_of_memory(error) => {
            Event::Fault(Arc::clone(question), Reason::Memory, error.clone(), seconds)
        }
        _ => Event::Claim(Arc::clone(question), claim, seconds),
    }
}

/// A time limit for people.
fn seconds(limit: Duration) -> String {
    crate::audit::double::brief(limit.as_secs_f64(), 3)
}

/// The mechanism of a question, whatever is asked of it.
fn steps_of(question: &Question) -> String {
    question.mechanism()
}

/// A few words of somebody's line, printable.
fn quoted(text: &str) -> String {
    let printable: String = text.trim().chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if text.trim().chars().nth(QUOTED).is_some() { "..." } else { "" };
    format!("'{printable}{more}'")
}
