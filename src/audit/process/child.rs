//! One life of an audited program.
//!
//! **Why nothing blocks.** Each of the three pipes has a thread. Output is taken from the pipe as fast as it comes, up
//! to a queue of lines, each of bounded length; input that nobody reads waits in its thread. Who waits for a line gives
//! a time for how long.
//!
//! **Why nothing is left behind.** The process leads a process group of its own, and the whole group is killed when
//! this value goes, so children of children die too. Some leave the group: daemons, and whatever starts a session of
//! its own. On Linux these are found by a mark in their environment, which every child inherits, and killed as well;
//! one that clears its environment *and* leaves the group stays. The memory limit is set by the shell that starts the
//! process, and is inherited by all of them.
//!
//! **If the audit itself is killed** it can do nothing any more. So the command line starts a second process before the
//! first adapter ([`Heir`]), which does nothing but read from a pipe that nobody writes to. The pipe ends when the
//! audit does, however that ends, and what still carries the mark is killed then. (A signal at the death of the parent
//! would do less: it reaches the child alone, not what the child has started, and comes when the *thread* that started
//! it ends.) Elsewhere than on Linux what reads its input ends by itself, and what hangs stays.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal, kill_process_group};

use super::stopwatch::{Activity, activity};
use crate::audit::protocol::{Line, read_lines};

/// Lines that wait to be read; the program waits when there are more.
const QUEUE: usize = 256;

/// How many of the last lines of standard error are kept, and how much of each.
const LAST_WORDS: usize = 20;
const LONGEST_WORD: usize = 500;

/// How long a process that has closed its output may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// How a program is started.
#[derive(Clone, Debug)]
pub enum Launch {
    /// A command line for the shell.
    Shell(String),
    /// A program and its arguments, in a folder.
    Program {
        /// The program and its arguments.
        words: Vec<OsString>,
        /// Where it runs.
        folder: PathBuf,
    },
    /// Not at all, for this reason.
    Impossible(String),
}

/// Output of the process.
#[derive(Debug)]
pub enum Output {
    /// A line.
    Line(Line),
    /// Its output is closed.
    End,
    /// Nothing in the time given.
    Nothing,
}

/// The living process.
pub struct Process {
    child: Child,
    /// What the environments of it and of all its children say.
    mark: String,
    input: Sender<String>,
    output: Receiver<Line>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Ends when standard error is closed.
    listener: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts it with a memory limit in megabytes.
    pub fn start(launch: &Launch, megabytes: u64) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        // A shell that cannot limit memory goes on without a limit.
        let limit = "ulimit -v \"$1\" 2>/dev/null || :; shift;";
        let kilobytes = megabytes.saturating_mul(1000).to_string();
        match launch {
            Launch::Shell(line) => {
                let exec = if is_plain(line) { "exec " } else { "" };
                command.arg("-c").arg(format!("{limit} eval \"{exec}$1\"")).arg("sh").arg(kilobytes).arg(line);
            }
            Launch::Program { words, folder } => {
                command.arg("-c").arg(format!("{limit} exec \"$@\"")).arg("sh").arg(kilobytes).args(words);
                command.current_dir(folder);
                // Only the installed version is used, not one found through the caller's environment.
                for elsewhere in ["PYTHONPATH", "PYTHONHOME"] {
                    command.env_remove(elsewhere);
                }
            }
            Launch::Impossible(why) => return Err(io::Error::other(why.clone())),
        }
        // One thread for everybody: times can be compared, and pools of threads do not count against the memory.
        for pool in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(pool, "1");
        }
        let mark = mark();
        command.env(MARK, format!("{mark}."));
        command.process_group(0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (input, lines_in) = mpsc::channel();
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || write_lines(stdin, &lines_in));
        }
        let (lines_out, output) = mpsc::sync_channel(QUEUE);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_lines(stdout, |line| lines_out.send(line).is_ok()));
        }
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last_words);
        let stderr = child.stderr.take();
        let listener = stderr.map(|stderr| std::thread::spawn(move || keep_last(stderr, &kept)));
        Ok(Process { child, mark, input, output, last_words, listener })
    }

    /// Give it a line to read. That it may be gone already shows when its output ends.
    pub fn send(&self, line: String) {
        let _ = self.input.send(line);
    }

    /// The next output within this time.
    pub fn next(&self, within: Duration) -> Output {
        match self.output.recv_timeout(within) {
            Ok(line) => Output::Line(line),
            Err(RecvTimeoutError::Timeout) => Output::Nothing,
            Err(RecvTimeoutError::Disconnected) => Output::End,
        }
    }

    /// Processor time and state of the process group.
    pub fn activity(&self) -> Option<Activity> {
        activity(self.child.id())
    }

    /// Has it ended? A child of its own may keep the pipe open.
    pub fn is_gone(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Let it end, or end it; how it went.
    pub fn end(mut self) -> Death {
        let until = Instant::now() + GRACE;
        let mut status = self.child.try_wait();
        while matches!(status, Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait();
        }
        let status = status.ok().flatten();
        self.kill();
        // The last output may still be in the pipe.
        while self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        Death { status, last_words: words.iter().cloned().collect() }
    }

    fn kill(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The group may be gone already.
            let _ = kill_process_group(group, Signal::KILL);
        }
        kill_marked(&format!("{MARK}={}.", self.mark));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The variable that carries the mark of a life.
const MARK: &str = "DPCERT_AUDITED";

/// A mark that no other life on this machine has, and that begins like those of all lives of this audit.
fn mark() -> String {
    static LIVES: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", audit_mark(), LIVES.fetch_add(1, Ordering::Relaxed))
}

/// How the marks of all lives of this audit begin.
fn audit_mark() -> &'static str {
    static AUDIT: OnceLock<String> = OnceLock::new();
    AUDIT.get_or_init(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        format!("{}-{now}", std::process::id())
    })
}

/// Kill whatever this audit has started, for one that ends at once. (Elsewhere than on Linux what reads its input ends
/// by itself.)
pub fn kill_all() {
    kill_marked(&format!("{MARK}={}-", audit_mark()));
}

/// Who outlives the audit to kill what it leaves behind.
pub struct Heir {
    /// Closed with this value, or by the system when this process is gone. No other process inherits it.
    _life: Option<ChildStdin>,
    child: Child,
}

impl Heir {
    /// Start it: `program`, with the mark of this audit as its last argument, must call [`inherit`].
    pub fn start(program: &mut Command) -> io::Result<Self> {
        // A group of its own: Ctrl-C is not meant for it.
        let quiet = program.arg(audit_mark()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = quiet.process_group(0).spawn()?;
        Ok(Heir { _life: child.stdin.take(), child })
    }
}

impl Drop for Heir {
    fn drop(&mut self) {
        // Nothing is left behind by an audit that has come so far.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long an heir looks for processes, for one may just have been born.
const MOURNING: Duration = Duration::from_secs(1);

/// Wait for the end of the input, which is that of the audit with this mark; then kill whatever it has left.
pub fn inherit(mark: &str, mut input: impl Read) {
    // An empty mark would be everybody's.
    if mark.is_empty() {
        return;
    }
    let mut byte = [0];
    while matches!(input.read(&mut byte), Ok(1..)) {}
    let until = Instant::now() + MOURNING;
    while Instant::now() < until {
        kill_marked(&format!("{MARK}={mark}-"));
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Kill all processes with an entry of their environment that begins so, until there are none: one that is being killed
/// may have started another.
#[cfg(target_os = "linux")]
fn kill_marked(start: &str) {
    use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
    const PASSES: u32 = 20;
    for _ in 0..PASSES {
        let Ok(processes) = std::fs::read_dir("/proc") else { return };
        let mut found = false;
        for process in processes.flatten() {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw)
            else {
                continue;
            };
            // Held while it is looked at, so that no other can take its number in between.
            let held = pidfd_open(pid, PidfdFlags::empty());
            let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
            if environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(start.as_bytes())) {
                found = true;
                let _ = match held {
                    Ok(held) => pidfd_send_signal(held, Signal::KILL),
                    // An old kernel.
                    Err(_) => kill_process(pid, Signal::KILL),
                };
            }
        }
        if !found {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Elsewhere the environments of others cannot be read.
#[cfg(not(target_os = "linux"))]
fn kill_marked(_start: &str) {}

/// Is a command line one command with its arguments? It then takes the place of the shell. Settings of variables,
/// `cd x && ...` and the like leave the shell where it is.
fn is_plain(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let builtin = ["cd", "export", "set", "ulimit", "umask", "."].contains(&word);
    !builtin && !word.contains('=') && !line.contains(['&', ';', '|', '(', '{', '\n'])
}

/// How a process ended by itself.
#[derive(Debug)]
pub struct Death {
    /// Its status; none if it had to be killed.
    pub status: Option<ExitStatus>,
    /// The end of what it wrote to standard error.
    pub last_words: Vec<String>,
}

impl Death {
    /// The shell could not find the program, or may not run it.
    pub fn never_lived(&self) -> bool {
        matches!(self.status.and_then(|status| status.code()), Some(126 | 127))
    }

    /// Does it look as if memory was the reason?
    pub fn out_of_memory(&self) -> bool {
        self.last_words.iter().any(|line| tells_of_memory(line))
    }

    /// In one line: the status, and the last thing it said.
    pub fn story(&self) -> String {
        let how = match self.status {
            None => "it closed its output and was killed".to_string(),
            Some(status) => match (status.code(), status.signal()) {
                (Some(126), _) => "it cannot be executed (exit status 126)".to_string(),
                (Some(127), _) => "it was not found (exit status 127)".to_string(),
                // What a shell says of a program that it waited for.
                (Some(code @ 129..=192), _) => format!("it was killed by signal {}", code - 128),
                (Some(code), _) => format!("it exited with status {code}"),
                (None, Some(signal)) => format!("it was killed by signal {signal}"),
                (None, None) => "it exited".to_string(),
            },
        };
        match self.last_words.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("{how}; last output: {}", line.trim()),
            None => how,
        }
    }
}

/// Words by which languages say that memory ran out.
pub fn tells_of_memory(line: &str) -> bool {
    ["MemoryError", "ArrayMemoryError", "bad_alloc", "memory allocation", "out of memory", "Unable to allocate"]
        .iter()
        .any(|word| line.contains(word))
}

fn write_lines(mut stdin: impl Write, lines: &Receiver<String>) {
    for line in lines {
        // A program that reads no more has said, or will say, so by its end.
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).and_then(|()| stdin.flush()).is_err()
        {
            return;
        }
    }
}

fn keep_last(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    read_lines(stderr, |line| {
        let text = match line {
            Line::Text(text) => text.chars().take(LONGEST_WORD).collect(),
            Line::TooLong { start, .. } => start,
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(text);
        if kept.len() > LAST_WORDS {
            kept.pop_front();
        }
        true
    });
}
