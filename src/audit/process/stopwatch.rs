//! The time that a program takes for an answer.
//!
//! **What counts.** A limit is meant for the program, not for the machine it shares. So time in which the program could
//! run and did not, because others had the processors, is not counted: while a process of its is running or waiting for
//! a processor, its processor time counts; while all of them sleep, or wait for a disk, the clock does. A program with
//! many threads is not charged for each of them. Nothing is forgiven beyond [`PATIENCE`] times the limit, so a limit
//! ends every wait.
//!
//! Processes are looked at only while an answer is waited for, and only on Linux; elsewhere the clock counts alone.

use std::time::{Duration, Instant};

/// Factor of the time limit after which a wait ends in any case.
const PATIENCE: u32 = 20;

/// What the processes of a program have done so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The processor time of all of them.
    pub processor: Duration,
    /// Is one of them running, or waiting for a processor?
    pub runnable: bool,
}

/// The time since a question was asked.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    since: Instant,
    /// When the processes were looked at last, and what they had done by then.
    last: Option<(Instant, Activity)>,
    /// For so long a process could have run; and so much processor time they had meanwhile.
    runnable: Duration,
    ran: Duration,
}

impl Stopwatch {
    /// It begins now.
    pub fn start() -> Self {
        Stopwatch { since: Instant::now(), last: None, runnable: Duration::ZERO, ran: Duration::ZERO }
    }

    /// When it began.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// The time by the clock.
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// What the processes have done by now.
    pub fn look(&mut self, activity: Option<Activity>) {
        self.look_at(Instant::now(), activity);
    }

    fn look_at(&mut self, now: Instant, activity: Option<Activity>) {
        let Some(activity) = activity else {
            self.last = None;
            return;
        };
        if let Some((then, before)) = self.last.replace((now, activity))
            && before.runnable
            && activity.runnable
        {
            self.runnable += now.saturating_duration_since(then);
            // Fewer than before where one of them has ended.
            self.ran += activity.processor.saturating_sub(before.processor);
        }
    }

    /// Remaining time of a limit.
    pub fn left(&self, limit: Duration) -> Duration {
        Self::left_of(limit, self.elapsed(), self.runnable.saturating_sub(self.ran))
    }

    fn left_of(limit: Duration, elapsed: Duration, waited: Duration) -> Duration {
        let forgiven = waited.min(limit.saturating_mul(PATIENCE - 1));
        limit.saturating_add(forgiven).saturating_sub(elapsed)
    }
}

/// What the processes of a group have done; none where that cannot be read.
#[cfg(target_os = "linux")]
pub fn activity(group: u32) -> Option<Activity> {
    let mut found = None;
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        if !process.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        // It may be gone by now.
        let Ok(line) = std::fs::read_to_string(process.path().join("stat")) else { continue };
        let Some((of, runnable, used)) = status(&line) else { continue };
        if of == group {
            let total: &mut Activity = found.get_or_insert(Activity { processor: Duration::ZERO, runnable: false });
            total.processor += Duration::from_secs_f64(used as f64 / ticks as f64);
            total.runnable |= runnable;
        }
    }
    found
}

/// Elsewhere nothing is known.
#[cfg(not(target_os = "linux"))]
pub fn activity(_group: u32) -> Option<Activity> {
    None
}

/// The group of a process, whether it could run, and the clock ticks it ran for, from its line in `/proc`. Its name may
/// have blanks and parentheses in it.
#[cfg(target_os = "linux")]
fn status(line: &str) -> Option<(u32, bool, u64)> {
    let (_, rest) = line.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
    let group = u32::try_from(number(2)?).ok()?;
    Some((group, fields.first() == Some(&"R"), number(11)?.saturating_add(number(12)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const TENTH: Duration = Duration::from_millis(100);

    /// Looks, a tenth of a second apart, at processes with so much processor time: what is forgiven in the end.
    fn forgiven(looks: impl IntoIterator<Item = (Duration, bool)>) -> Duration {
        let mut watch = Stopwatch::start();
        let mut now = watch.since;
        for (processor, runnable) in looks {
            watch.look_at(now, Some(Activity { processor, runnable }));
            now += TENTH;
        }
        let minute = SECOND * 60;
        Stopwatch::left_of(minute, SECOND * 30, watch.runnable.saturating_sub(watch.ran)) - minute / 2
    }

    #[test]
    fn what_others_take_is_forgiven() {
        // Five seconds: it ran all the time; it had a fifth; it had nothing; it slept; it has two threads that run.
        let looks = |each: Duration, runnable: bool| (0..=50_u32).map(move |look| (each * look, runnable));
        assert_eq!(forgiven(looks(TENTH, true)), Duration::ZERO);
        assert_eq!(forgiven(looks(TENTH / 5, true)), SECOND * 4);
        assert_eq!(forgiven(looks(Duration::ZERO, true)), SECOND * 5);
        assert_eq!(forgiven(looks(Duration::ZERO, false)), Duration::ZERO);
        assert_eq!(forgiven(looks(TENTH * 2, true)), Duration::ZERO);
        // It runs for a moment now and then.
        assert_eq!(forgiven((0..=50_u32).map(|look| (Duration::ZERO, look % 2 == 0))), Duration::ZERO);
    }

    #[test]
    fn every_wait_ends() {
        let limit = SECOND * 2;
        assert_eq!(Stopwatch::left_of(limit, SECOND * 3, Duration::ZERO), Duration::ZERO);
        assert_eq!(Stopwatch::left_of(limit, SECOND * 3, SECOND * 2), SECOND);
        assert_eq!(Stopwatch::left_of(limit, SECOND * 40, SECOND * 40), Duration::ZERO);
        assert_eq!(Stopwatch::left_of(limit, SECOND * 39, SECOND * 40), SECOND);
        // Where nothing is known of processes the clock counts.
        let mut watch = Stopwatch::start();
        watch.look(None);
        assert!(watch.left(SECOND) <= SECOND);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn lines_of_processes_are_read() {
        let line = "7 (a) R (b) S 1 42 7 0 -1 4194304 100 0 0 0 250 50 3 4 20 0 1 0 5 6 7";
        assert_eq!(status(line), Some((42, false, 300)));
        assert_eq!(status(&line.replace(") S", ") R")), Some((42, true, 300)));
        assert_eq!(status("7 (a"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_busy_program_is_seen_to_be_busy() {
        use std::os::unix::process::CommandExt;
        let start = |script: &str| {
            let mut command = std::process::Command::new("/bin/sh");
            command.args(["-c", script]).process_group(0).spawn().expect("a shell")
        };
        for (script, busy) in [("while :; do :; done", true), ("sleep 60", false)] {
            let mut child = start(script);
            let until = Instant::now() + SECOND * 60;
            let mut seen = activity(child.id());
            // However busy the machine is, it gets a little of it in the end.
            while busy && seen.is_none_or(|seen| seen.processor < SECOND / 20) && Instant::now() < until {
                std::thread::sleep(SECOND / 50);
                seen = activity(child.id());
            }
            if !busy {
                std::thread::sleep(SECOND / 5);
                seen = activity(child.id());
            }
            let seen = seen.expect("a process");
            assert_eq!((seen.runnable, seen.processor >= SECOND / 20), (busy, busy), "{script}: {seen:?}");
            child.kill().expect("killed");
            child.wait().expect("gone");
        }
    }
}
