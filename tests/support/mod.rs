//! What several test binaries need: folders of one test alone, text for a shell, signals, and who is still running.
//!
//! Nothing here may depend on where the checkout stands or what its folder is called.
#![allow(dead_code, reason = "each test binary takes what it needs")]

pub mod papers;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A number that no other call in this process gets.
fn count() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// An empty folder of one test alone, gone with the value. Its path has blanks, as a user's may.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
        fs::create_dir_all(root).expect("the folder of all tests");
        loop {
            let path = root.join(format!("{name} {} {}", std::process::id(), count()));
            match fs::create_dir(&path) {
                Ok(()) => return Folder(path),
                // Left behind by a process that was killed and had this number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// As an argument.
    pub fn text(&self) -> &str {
        text(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A path as one word of a line for a shell, whatever is in it.
pub fn quoted(path: &Path) -> String {
    format!("'{}'", text(path).replace('\'', r"'\''"))
}

/// Seconds that nobody else sleeps for, more than a day of them: processes that have them among their arguments are
/// known by them, whatever they are called.
#[cfg(unix)]
pub fn mark() -> String {
    format!("{}.{:04}", 100_000 + std::process::id(), count())
}

/// How many processes have this in their command lines.
#[cfg(unix)]
pub fn processes_with(mark: &str) -> usize {
    command_lines().iter().filter(|line| line.contains(mark)).count()
}

/// The command lines of all processes, by Linux's own account where there is one.
#[cfg(unix)]
fn command_lines() -> Vec<String> {
    if Path::new("/proc/self/cmdline").exists() {
        let entries = fs::read_dir("/proc").expect("the processes").flatten();
        // One that ends meanwhile has none; the arguments of the others end in a zero each.
        let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        return lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).collect();
    }
    let processes = std::process::Command::new("ps").args(["-eo", "args"]).output().expect("ps runs");
    String::from_utf8_lossy(&processes.stdout).lines().map(String::from).collect()
}

#[cfg(unix)]
pub use rustix::process::Signal;

/// Send a signal to a child that has not been waited for.
#[cfg(unix)]
pub fn send(signal: Signal, child: &std::process::Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).expect("a child to signal");
}

/// Was this process started so that it, and all it starts, ignores Ctrl-C? Whoever is started in the background by a
/// shell script does.
#[cfg(unix)]
pub fn interrupts_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}
