//! Runs one audit of several programs.
//!
//! Each program is queried on its own thread, a limited number at a time. Other threads judge the answers, so a program
//! never waits for a slow computation. Judgements are written to the journal immediately. Cancellation takes effect
//! promptly, and all processes have ended when [`run`] returns.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::journal::{Heading, Journal, Record};
use super::judge::{fault, judge};
use super::judgement::{Judgement, Party, Reason};
use super::process::{Event, GaveUp, Launch, Limits, interview};
use super::protocol::{Claim, Hello};
use super::question::Question;
use super::report::{Course, Report};
use super::truth::Oracle;
use crate::error::Error;

/// A program to audit.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub party: Party,
    /// Does it say itself what it is called?
    pub anonymous: bool,
    /// Where the package is documented.
    pub documentation: String,
    /// How it is started.
    pub launch: Launch,
}

/// How an audit is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What a question may cost the other side.
    pub limits: Limits,
    /// The time for a truth.
    pub truth: Duration,
    /// How many programs are asked at once.
    pub jobs: usize,
    /// Formats the error of a truth that could not be computed.
    pub words: fn(&Error) -> String,
}

/// How often the wish to stop is looked at.
const TICK: Duration = Duration::from_millis(100);

/// Progress events of an audit.
pub trait Listener {
    /// Before anything is asked: how many answers are wanted, and how many are there from before.
    fn begins(&self, wanted: usize, before: usize);
    /// One more question of a program is settled.
    fn settled(&self, judgement: &Judgement);
    /// A program has been asked everything.
    fn finished(&self, course: &Course);
}

/// What the threads send to the one that collects.
enum News {
    Judged(usize, Vec<Judgement>),
    Finished(usize, Course),
}

/// Something to be judged.
struct Work {
    target: usize,
    question: Arc<Question>,
    what: What,
}

enum What {
    Claim(Box<Claim>, f64),
    Fault(Reason, String, f64),
}

/// What the threads share.
struct Shared {
    targets: Vec<Target>,
    questions: Vec<Arc<Question>>,
    settings: Settings,
    oracle: Oracle,
    stop: Arc<AtomicBool>,
    /// What each program is called, as far as is known.
    parties: Vec<Mutex<Party>>,
    /// The questions left for each program.
    left: Vec<Vec<usize>>,
    next: AtomicUsize,
    /// Earlier identities of self-identifying programs.
    before: Vec<Option<Party>>,
    /// A program that is now another one than before, in a line.
    another: Mutex<Option<String>>,
}

/// How an audit ended.
pub enum End {
    /// Everything was asked.
    Complete(Report),
    /// Cancelled, with the number of completed judgements.
    Stopped(usize),
}

/// What makes this audit this one, whom it asks included, and what was chosen of the settings that adapters have.
pub fn heading(targets: &[Target], questions: &[Question], settings: &Settings, chosen: Vec<String>) -> Heading {
    let names = targets.iter().map(|Target { party, launch, .. }| match launch {
        Launch::Shell(line) => line.clone(),
        Launch::Program { .. } | Launch::Impossible(_) => format!("{} {} {}", party.peer, party.version, party.api),
    });
    let names: Vec<String> = names.chain(chosen).collect();
    let Limits { query, start, megabytes, .. } = settings.limits;
    let mut text = format!("3 {query:?} {start:?} {megabytes} {names:?}");
    for target in targets {
        if let Launch::Shell(line) = &target.launch {
            files_of(line).iter().for_each(|file| text += &format!(" {:016x}", hash(file)));
        }
    }
    for question in questions {
        text += &format!("\n{} {}", question.id, question.key());
    }
    Heading {
        dpcert: env!("CARGO_PKG_VERSION").to_string(),
        targets: names,
        questions: questions.len(),
        fingerprint: format!("{:016x}", hash(text.as_bytes())),
    }
}

/// FNV-1a: a name for a text, no seal.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The files that a command names: what was mended is another program, whatever version it says it has.
fn files_of(line: &str) -> Vec<Vec<u8>> {
    /// Longer ones are no scripts.
    const LONGEST: u64 = 16_000_000;
    let short = |path: &Path| path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LONGEST);
    let words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    words.filter(|word| short(Path::new(word))).filter_map(|word| std::fs::read(word).ok()).collect()
}

/// Ask everybody everything, but for what the journal has.
pub fn run(
    targets: Vec<Target>,
    questions: Vec<Question>,
    settings: Settings,
    journal: &mut Journal,
    stop: &Arc<AtomicBool>,
    listener: &impl Listener,
) -> Result<End, Error> {
    let sole = targets.len() == 1;
    let is =
        |target: &Target, party: &Party| sole || (target.party.peer == party.peer && target.party.api == party.api);
    let mut kept: Vec<(usize, Judgement)> = Vec::new();
    for judgement in journal.judgements() {
        if let Some(target) = targets.iter().position(|target| is(target, &judgement.party)) {
            kept.push((target, judgement.clone()));
        }
    }
    let mut courses: Vec<Option<Course>> =
        targets.iter().map(|target| journal.courses().find(|course| is(target, &course.party)).cloned()).collect();
    let rows = in_rows(&questions);
    let left: Vec<Vec<usize>> = targets
        .iter()
        .enumerate()
        .map(|(index, target)| {
            if courses[index].is_some() {
                return Vec::new();
            }
            let answered = journal.answered(|judgement| is(target, &judgement.party));
            rows.iter().copied().filter(|&question| !answered.contains(&questions[question].id)).collect()
        })
        .collect();
    let wanted = targets.len() * questions.len();
    let remaining: usize = left.iter().map(Vec::len).sum();
    listener.begins(wanted, wanted - remaining);
    let open = courses.iter().filter(|course| course.is_none()).count();
    let parties = targets
        .iter()
        .zip(&courses)
        .map(|(target, course)| Mutex::new(course.as_ref().map_or(&target.party, |course| &course.party).clone()))
        .collect();
    let before = targets.iter().enumerate().map(|(index, target)| {
        let known = kept.iter().find(|(of, judgement)| *of == index && judgement.party != target.party);
        known.filter(|_| target.anonymous).map(|(_, judgement)| judgement.party.clone())
    });
    let shared = Arc::new(Shared {
        before: before.collect(),
        another: Mutex::new(None),
        oracle: Oracle::new(settings.truth).in_words(settings.words),
        stop: Arc::clone(stop),
        next: AtomicUsize::new(0),
        parties,
        left,
        targets,
        questions: questions.into_iter().map(Arc::new).collect(),
        settings,
    });
    if open > 0 {
        collect(&shared, open, (&mut kept, &mut courses), journal, listener)?;
    }
    if let Some(another) = shared.another.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(Error::input(format!("{}: {another}; remove the file to start again", journal.path().display())));
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(End::Stopped(kept.len()));
    }
    Ok(End::Complete(report(&shared, kept, courses)))
}

/// Take what the threads find until the `open` targets are through, or the audit is cancelled. Judgements go to the
/// journal first.
fn collect(
    shared: &Arc<Shared>,
    open: usize,
    (kept, courses): (&mut Vec<(usize, Judgement)>, &mut Vec<Option<Course>>),
    journal: &mut Journal,
    listener: &impl Listener,
) -> Result<(), Error> {
    let threads = Threads::start(shared, courses.iter().map(Option::is_none).collect());
    let mut unfinished = open;
    let mut alarm = None;
    while unfinished > 0 {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        let news = match threads.news.recv_timeout(TICK) {
            Ok(news) => news,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match news {
            News::Judged(target, judgements) => {
                if shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                // Nothing is judged by somebody who is proven to be mistaken, nor kept.
                alarm = shared.oracle.alarm();
                if alarm.is_some() {
                    shared.stop.store(true, Ordering::Relaxed);
                    break;
                }
                let records: Vec<Record> =
                    judgements.iter().map(|judgement| Record::Judgement(Box::new(judgement.clone()))).collect();
                journal.add(&records)?;
                if let Some(first) = judgements.first() {
                    listener.settled(first);
                }
                kept.extend(judgements.into_iter().map(|judgement| (target, judgement)));
            }
            News::Finished(target, course) => {
                // One that was told to stop has not been asked everything.
                if shared.stop.load(Ordering::Relaxed) {
                    continue;
                }
                unfinished -= 1;
                listener.finished(&course);
                journal.add(&[Record::Course(course.clone())])?;
                courses[target] = Some(course);
            }
        }
    }
    threads.wait();
    if let Some(alarm) = alarm {
        return Err(alarm);
    }
    Ok(())
}

/// The questions in the order in which they are asked: those about one composition in a row, for programs that keep
/// what they composed for the next question.
fn in_rows(questions: &[Question]) -> Vec<usize> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let row: Vec<usize> = questions
        .iter()
        .enumerate()
        .map(|(index, question)| *first.entry(question.expression()).or_insert(index))
        .collect();
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_by_key(|&index| row[index]);
    order
}

/// Put everything in the order of the questions.
fn report(shared: &Shared, kept: Vec<(usize, Judgement)>, courses: Vec<Option<Course>>) -> Report {
    let order: HashMap<&str, usize> =
        shared.questions.iter().enumerate().map(|(index, question)| (question.id.as_str(), index)).collect();
    let mut kept = kept;
    kept.sort_by_key(|(target, judgement)| (*target, order.get(judgement.id.as_str()).copied()));
    let judgements = kept.into_iter().map(|(target, mut judgement)| {
        judgement.party = party(shared, target);
        judgement
    });
    Report { judgements: judgements.collect(), courses: courses.into_iter().flatten().collect(), ..Report::new() }
}

fn party(shared: &Shared, target: usize) -> Party {
    shared.parties[target].lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A program says who it is: the version is believed, and the name of one that has no other.
fn introduce(shared: &Shared, target: usize, hello: Hello) {
    let mut party = shared.parties[target].lock().unwrap_or_else(PoisonError::into_inner);
    let known = |text: String, before: &str| if text.is_empty() { before.to_string() } else { text };
    party.version = known(hello.version, &party.version);
    if shared.targets[target].anonymous {
        party.peer = known(hello.name, &party.peer);
        party.api = known(hello.api, &party.api);
    }
    // Answers of two programs are never put under one name.
    if let Some(before) = shared.before[target].as_ref().filter(|before| **before != *party) {
        let name = |party: &Party| format!("{} {} {}", party.peer, party.version, party.api);
        let message = format!("the earlier judgements are of {}, but this program is {}", name(before), name(&party));
        *shared.another.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
        shared.stop.store(true, Ordering::Relaxed);
    }
}

/// The threads of an audit, and what comes from them.
struct Threads {
    news: Receiver<News>,
    interviewers: Vec<std::thread::JoinHandle<()>>,
}

impl Threads {
    fn start(shared: &Arc<Shared>, open: Vec<bool>) -> Self {
        let (tell, news) = mpsc::channel();
        let (work_out, work_in) = mpsc::channel::<Work>();
        let work_in = Arc::new(Mutex::new(work_in));
        // One core is left to the programs that are asked.
        let judges = std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1));
        let open = Arc::new(open);
        let pending: Arc<Vec<AtomicUsize>> = Arc::new(shared.targets.iter().map(|_| AtomicUsize::new(1)).collect());
        let endings: Arc<Vec<Mutex<Option<Course>>>> =
            Arc::new(shared.targets.iter().map(|_| Mutex::new(None)).collect());
        for _ in 0..judges {
            let (shared, work_in, tell) = (Arc::clone(shared), Arc::clone(&work_in), tell.clone());
            let (pending, endings) = (Arc::clone(&pending), Arc::clone(&endings));
            std::thread::spawn(move || {
                loop {
                    let work = work_in.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(work) = work else { return };
                    if shared.stop.load(Ordering::Relaxed) {
                        continue;
                    }
                    let target = work.target;
                    let _ = tell.send(News::Judged(target, judged(&shared, work)));
                    settle(&pending, &endings, target, &tell);
                }
            });
        }
        let jobs = shared.settings.jobs.clamp(1, shared.targets.len().max(1));
        let interviewers = (0..jobs)
            .map(|_| {
                let (shared, work_out, tell) = (Arc::clone(shared), work_out.clone(), tell.clone());
                let (open, pending, endings) = (Arc::clone(&open), Arc::clone(&pending), Arc::clone(&endings));
                std::thread::spawn(move || {
                    loop {
                        let target = shared.next.fetch_add(1, Ordering::Relaxed);
                        if target >= shared.targets.len() {
                            return;
                        }
                        if !open[target] {
                            continue;
                        }
                        let course = one(&shared, target, &work_out, &pending[target]);
                        *endings[target].lock().unwrap_or_else(PoisonError::into_inner) = Some(course);
                        settle(&pending, &endings, target, &tell);
                    }
                })
            })
            .collect();
        Threads { news, interviewers }
    }

    /// Until no process lives. Judges that still look for a truth end with the program.
    fn wait(self) {
        for interviewer in self.interviewers {
            let _ = interviewer.join();
        }
    }
}

/// One thing less is pending for a program; after the last one it is finished.
fn settle(pending: &[AtomicUsize], endings: &[Mutex<Option<Course>>], target: usize, tell: &Sender<News>) {
    if pending[target].fetch_sub(1, Ordering::AcqRel) == 1
        && let Some(course) = endings[target].lock().unwrap_or_else(PoisonError::into_inner).take()
    {
        let _ = tell.send(News::Finished(target, course));
    }
}

/// Interview one program.
fn one(shared: &Shared, target: usize, work: &Sender<Work>, pending: &AtomicUsize) -> Course {
    let mut left = shared.left[target].iter().map(|&index| Arc::clone(&shared.questions[index]));
    let Target { launch, documentation, .. } = &shared.targets[target];
    let mut documentation = documentation.clone();
    let send = |question, what| {
        pending.fetch_add(1, Ordering::AcqRel);
        let _ = work.send(Work { target, question, what });
    };
    let interview = interview(
        launch,
        shared.settings.limits,
        || left.next(),
        &shared.stop,
        |event| match event {
            Event::Hello(hello) => {
                if !hello.documentation.is_empty() {
                    documentation.clone_from(&hello.documentation);
                }
                introduce(shared, target, hello);
            }
            Event::Claim(question, claim, seconds) => send(question, What::Claim(claim, seconds)),
            Event::Fault(question, reason, message, seconds) => send(question, What::Fault(reason, message, seconds)),
        },
    );
    let gave_up = match interview.gave_up {
        Some(GaveUp::NeverStarts(why)) => Some(why),
        Some(GaveUp::Stopped) => Some("interrupted".to_string()),
        None => None,
    };
    Course {
        party: party(shared, target),
        documentation,
        questions: shared.questions.len(),
        restarts: interview.restarts,
        talk: interview.talk,
        gave_up,
    }
}

fn judged(shared: &Shared, work: Work) -> Vec<Judgement> {
    let party = party(shared, work.target);
    match work.what {
        What::Claim(claim, wall) => judge(&shared.oracle, &party, &work.question, &claim, wall),
        What::Fault(reason, message, wall) => vec![fault(&party, &work.question, reason, message, wall)],
    }
}

#[cfg(test)]
mod tests {
    use dpcert_vectors::Double;

    use super::*;
    use crate::audit::question::{Asked, At, Step};

    /// Each audit has its own journal.
    #[test]
    fn headings_tell_peers_apart() {
        let limits = Limits { window: 1, query: TICK, start: TICK, hangs: 1, megabytes: 1, deaths: 0 };
        let settings = Settings { limits, truth: TICK, jobs: 1, words: Error::to_string };
        let of = |line: &str, chosen: &[&str]| {
            let party = Party { peer: "adapter".into(), version: String::new(), api: String::new() };
            let launch = Launch::Shell(line.into());
            let target = Target { party, anonymous: true, documentation: String::new(), launch };
            heading(&[target], &[], &settings, chosen.iter().map(ToString::to_string).collect()).fingerprint
        };
        assert_eq!(of("one", &["GRID=1"]), of("one", &["GRID=1"]));
        assert_ne!(of("one", &[]), of("other", &[]));
        assert_ne!(of("one", &["GRID=1"]), of("one", &["GRID=2"]));
        assert_ne!(of("one", &["GRID=1"]), of("one", &[]));
        // A program that was mended is another one.
        let file = std::env::temp_dir().join(format!("dpcert-heading-{}.py", std::process::id()));
        let line = format!("python3 '{}'", file.display());
        std::fs::write(&file, "print(1)").expect("a file");
        let before = of(&line, &[]);
        assert_eq!(of(&line, &[]), before);
        std::fs::write(&file, "print(2)").expect("a file");
        assert_ne!(of(&line, &[]), before);
        std::fs::remove_file(&file).expect("removed");
    }

    /// A program that identifies itself by another name or version than in the journal is refused.
    #[test]
    fn answers_of_two_programs_are_kept_apart() {
        let limits = Limits { window: 1, query: TICK, start: TICK, hangs: 1, megabytes: 1, deaths: 0 };
        let party = |peer: &str, version: &str| Party { peer: peer.into(), version: version.into(), api: "-".into() };
        let told = |before: Option<Party>, version: &str| {
            let target = Target {
                party: party("adapter", "-"),
                anonymous: true,
                documentation: String::new(),
                launch: Launch::Shell("true".into()),
            };
            let shared = Shared {
                parties: vec![Mutex::new(target.party.clone())],
                targets: vec![target],
                questions: Vec::new(),
                settings: Settings { limits, truth: TICK, jobs: 1, words: Error::to_string },
                oracle: Oracle::new(TICK),
                stop: Arc::default(),
                left: vec![Vec::new()],
                next: AtomicUsize::new(0),
                before: vec![before],
                another: Mutex::default(),
            };
            let hello = Hello { name: "mine".into(), version: version.into(), ..Hello::default() };
            introduce(&shared, 0, hello);
            let another = shared.another.into_inner().expect("no panic");
            assert_eq!(another.is_some(), shared.stop.load(Ordering::Relaxed));
            another
        };
        assert_eq!(told(None, "2"), None);
        assert_eq!(told(Some(party("mine", "2")), "2"), None);
        let another = told(Some(party("mine", "1")), "2").expect("another version");
        assert_eq!(another, "the earlier judgements are of mine 1 -, but this program is mine 2 -");
        assert!(told(Some(party("other", "2")), "2").is_some());
    }

    /// Each question once, the same compositions together, and otherwise as they came.
    #[test]
    fn questions_are_asked_in_rows() {
        let ask = |sigma: f64, epsilon: f64| {
            let at = At { epsilon: Some(Double(epsilon)), ..At::default() };
            Question::new("q", Asked::Delta, vec![Step::new("gaussian", &[("sigma", sigma)])], at)
        };
        let questions = [ask(1.0, 0.0), ask(2.0, 0.0), ask(1.0, 1.0), ask(3.0, 0.0), ask(2.0, 2.0), ask(1.0, 2.0)];
        assert_eq!(in_rows(&questions), [0, 2, 5, 1, 4, 3]);
    }
}
