//! Questions, one after the other, asked of a program that may not survive them.
//!
//! Two questions are always on their way, so that an answer to the wrong one can be told from a slow answer to the
//! right one; the clock of a question starts when the answer before it has come. What came for a question is handed over
//! as an [`Event`] at once. **It always ends**, if the questions do: every question is answered, or ends a life of the program, and after
//! two lives ended by the same question it is given up. A program of which several lives passed without a readable word is
//! given up altogether.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::child::{Launch, Output, Process, tells_of_memory};
use crate::audit::judgement::Reason;
use crate::audit::protocol::{Claim, Hello, Line, Reply, line, read};
use crate::audit::question::Question;

/// So many lives without a readable word, and the program is given up.
const DUMB_LIVES: u32 = 3;

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
    /// More time for the first answer of a life: packages take theirs to load.
    pub start: Duration,
    /// The memory of the process, in megabytes.
    pub megabytes: u64,
}

impl Limits {
    /// So many questions are on their way at once.
    pub const WINDOW: usize = 2;
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
        again: VecDeque::new(),
        asked: VecDeque::new(),
        answered: HashMap::new(),
        suspicion: None,
        since: Instant::now(),
        crashed: HashSet::new(),
        spoke: false,
        warm: false,
        useful: false,
        interview: Interview::default(),
        tell: &mut tell,
    };
    let (mut process, mut lives, mut dumb): (Option<Process>, u32, u32) = (None, 0, 0);
    loop {
        // Before a process is started for nothing.
        if state.asked.is_empty() && state.again.is_empty() {
            match source() {
                Some(question) => state.again.push_back(question),
                None => break,
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
            (state.spoke, state.warm, state.since, state.suspicion) = (false, false, Instant::now(), None);
            continue;
        };
        while state.asked.len() < limits.window
            && let Some(question) = state.again.pop_front().or_else(&mut source)
        {
            if state.asked.is_empty() && state.warm {
                state.since = Instant::now();
            }
            living.send(line(&question));
            state.asked.push_back(question);
        }
        let allowed = limits.query + if state.warm { Duration::ZERO } else { limits.start };
        let left = allowed.saturating_sub(state.since.elapsed());
        match living.next(left.min(TICK)) {
            Output::Line(line) => state.take(line),
            Output::Nothing if left.is_zero() => {
                drop(process.take());
                dumb = state.dumb(dumb);
                let (reason, message) = state
                    .suspicion
                    .take()
                    .unwrap_or_else(|| (Reason::Hang, format!("no answer within {:.0} s", allowed.as_secs_f64())));
                state.fault_head(reason, message);
                state.ask_again();
                if dumb >= DUMB_LIVES {
                    let story = format!("no answer in {dumb} starts of {:.0} s", allowed.as_secs_f64());
                    state.interview.gave_up = Some(GaveUp::NeverStarts(story));
                    break;
                }
            }
            Output::Nothing if !living.is_gone() => {}
            Output::Nothing | Output::End => {
                let Some(ended) = process.take() else { continue };
                let death = ended.end();
                dumb = state.dumb(dumb);
                let reason = if death.out_of_memory() { Reason::Memory } else { Reason::Crash };
                if death.never_lived() && !state.spoke {
                    state.interview.gave_up = Some(GaveUp::NeverStarts(death.story()));
                    break;
                }
                if dumb >= DUMB_LIVES {
                    state.fault_head(reason, death.story());
                    let story = format!("{dumb} starts, and no answer: {}", death.story());
                    state.interview.gave_up = Some(GaveUp::NeverStarts(story));
                    break;
                }
                // With answers before it, they may be the reason: the question gets a life of its own.
                let head = state.asked.front().map(|question| question.id.clone()).unwrap_or_default();
                if !state.warm || !state.crashed.insert(head) {
                    state.fault_head(reason, death.story());
                }
                state.ask_again();
            }
        }
    }
    state.interview
}

/// Where an interview stands.
struct State<'t> {
    /// To be asked once more.
    again: VecDeque<Arc<Question>>,
    /// On their way, the oldest first.
    asked: VecDeque<Arc<Question>>,
    answered: HashMap<String, Arc<Question>>,
    /// Lines that were no claims since the oldest question was on: perhaps its answer.
    suspicion: Option<(Reason, String)>,
    since: Instant,
    crashed: HashSet<String>,
    /// Has this life said anything readable?
    spoke: bool,
    /// Has this life answered anything?
    warm: bool,
    /// Has any life?
    useful: bool,
    interview: Interview,
    tell: &'t mut dyn FnMut(Event),
}

impl State<'_> {
    /// How many lives have now passed in vain. A program that answers some questions may hang in all others; one that
    /// never answered, or that does not get as far as a word, is of no use.
    fn dumb(&self, before: u32) -> u32 {
        if self.warm || (self.useful && self.spoke) { 0 } else { before + 1 }
    }

    fn take(&mut self, line: Line) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong { start, bytes } => {
                let message = format!("a line of {bytes} bytes, beginning with {}", quoted(&start));
                if start.trim_start().starts_with('{') {
                    self.fault_head(Reason::TooLong, message);
                } else {
                    self.talk(Reason::TooLong, message);
                }
                return;
            }
        };
        match read(&text) {
            Reply::Hello(hello) => {
                self.spoke = true;
                (self.tell)(Event::Hello(hello));
            }
            Reply::Talk if text.trim().is_empty() => {}
            Reply::Talk => self.talk(Reason::Unreadable, format!("it said {} instead", quoted(&text))),
            Reply::Unreadable(why) => {
                (self.spoke, self.warm) = (true, true);
                self.fault_head(Reason::Unreadable, format!("{why}: {}", quoted(&text)));
            }
            Reply::Claim(claim) => {
                (self.spoke, self.warm, self.useful) = (true, true, true);
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
                    let message = format!("answered before {older}, which was asked before it");
                    let seconds = self.seconds();
                    (self.tell)(Event::Fault(question, Reason::OutOfOrder, message, seconds));
                }
            }
            None => match self.answered.get(&claim.id).map(Arc::clone) {
                Some(question) => {
                    let message = "a second answer to a question that was answered before".to_string();
                    let seconds = self.seconds();
                    (self.tell)(Event::Fault(question, Reason::Twice, message, seconds));
                }
                None => {
                    self.fault_head(Reason::WrongId, format!("the answer has the unknown id {}", quoted(&claim.id)))
                }
            },
        }
    }

    fn accept(&mut self, claim: Box<Claim>) {
        let Some(question) = self.asked.pop_front() else { return };
        let seconds = self.seconds();
        (self.since, self.suspicion) = (Instant::now(), None);
        self.answered.insert(question.id.clone(), Arc::clone(&question));
        match &claim.error {
            Some(error) if tells_of_memory(error) => {
                (self.tell)(Event::Fault(question, Reason::Memory, error.clone(), seconds));
            }
            _ => (self.tell)(Event::Claim(question, claim, seconds)),
        }
        // Whoever was told may have taken time, which is not the program's.
        self.since = Instant::now();
    }

    /// The oldest question has no answer that can be judged.
    fn fault_head(&mut self, reason: Reason, message: String) {
        let Some(question) = self.asked.pop_front() else { return };
        let seconds = self.seconds();
        (self.since, self.suspicion) = (Instant::now(), None);
        self.answered.insert(question.id.clone(), Arc::clone(&question));
        (self.tell)(Event::Fault(question, reason, message, seconds));
        self.since = Instant::now();
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

/// A few words of somebody's line, printable.
fn quoted(text: &str) -> String {
    let printable: String = text.trim().chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if text.trim().chars().nth(QUOTED).is_some() { "..." } else { "" };
    format!("'{printable}{more}'")
}
