//! Threads for computations that somebody waits for: made when there is none idle, and kept for the next.
//!
//! A stream of small questions would spend most of its time on making threads.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::Error;

/// A computation; what it returns tells the result to whoever waits, when the thread is idle again.
pub(super) type Job = Box<dyn FnOnce() -> Tell + Send>;

/// The last act of a computation.
pub(super) type Tell = Box<dyn FnOnce()>;

/// The stack of a computation: what a main thread has.
const STACK: usize = 8 << 20;

/// Idle threads that are kept.
const MOST_IDLE: usize = 4;

/// Those who wait for a job.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// Begin a job on an idle thread, or a new one.
///
/// # Errors
/// [`Error::Undecided`] if no thread can be had.
pub(super) fn run(job: Job) -> Result<(), Error> {
    let mut job = job;
    loop {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(worker) = idle else { break };
        match worker.send(job) {
            Ok(()) => return Ok(()),
            // A thread that is gone.
            Err(back) => job = back.0,
        }
    }
    let (send, receive) = channel();
    let own = send.clone();
    thread::Builder::new()
        .name("answer".into())
        .stack_size(STACK)
        .spawn(move || serve(&own, &receive))
        .map_err(|error| Error::undecided(format!("no thread could be started for the computation: {error}")))?;
    // The thread holds the other end, so this arrives.
    send.send(job).map_err(|_| Error::internal("a thread ended before it began"))
}

/// One job after the other, while there is room among the idle.
fn serve(own: &Sender<Job>, jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        let tell = job();
        // First idle, then the word: who hears it may have the next job.
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let stays = idle.len() < MOST_IDLE;
        if stays {
            idle.push(own.clone());
        }
        drop(idle);
        tell();
        if !stays {
            break;
        }
    }
    // MPFR keeps constants for each thread.
    rug::float::free_cache(rug::float::FreeCache::Local);
}
