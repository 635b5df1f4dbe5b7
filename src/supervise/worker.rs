//! Threads for computations that somebody waits for: made when there is none idle, and kept for the next.
//!
//! A stream of small questions would spend most of its time on making threads.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// A computation; it returns a function that delivers the result once the thread is idle.
pub(super) type Job = Box<dyn FnOnce() -> Tell + Send>;

/// The last act of a computation.
pub(super) type Tell = Box<dyn FnOnce() + Send>;

/// The stack of a computation: what a main thread has.
const STACK: usize = 8 << 20;

/// Idle threads that are kept.
const MOST_IDLE: usize = 4;

/// Those who wait for a job.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// Jobs that have not ended.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Did a fork make this process?
static FORKED: AtomicBool = AtomicBool::new(false);

/// The pool of threads of a process that a fork made: that of rayon is the parent's, and its threads are not here.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// Begin a job on an idle thread, or a new one.
///
/// # Errors
/// [`Error::Undecided`] if no thread can be started.
pub(super) fn run(job: Job) -> Result<(), Error> {
    let mut job: Job = match pool()? {
        Some(pool) => Box::new(move || pool.install(job)),
        None => job,
    };
    RUNNING.fetch_add(1, Ordering::AcqRel);
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
    thread::Builder::new().name("answer".into()).stack_size(STACK).spawn(move || serve(&own, &receive)).map_err(
        |error| {
            RUNNING.fetch_sub(1, Ordering::AcqRel);
            no_thread(error)
        },
    )?;
    // The thread holds the other end, so this arrives.
    send.send(job).map_err(|_| Error::internal("a worker thread ended before it started"))
}

fn no_thread(error: impl std::fmt::Display) -> Error {
    Error::undecided(format!("cannot start a thread for the computation: {error}"))
}

/// Where jobs share work out, if not in rayon's own pool.
fn pool() -> Result<Option<Arc<ThreadPool>>, Error> {
    if !FORKED.load(Ordering::Acquire) {
        return Ok(None);
    }
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.is_none() {
        *pool = Some(Arc::new(ThreadPoolBuilder::new().stack_size(STACK).build().map_err(no_thread)?));
    }
    Ok(pool.clone())
}

/// Forget the threads of the process that this one was forked from.
///
/// # Errors
/// [`Error::Input`] if one of them was working: its locks are never released in this process.
pub(super) fn forked() -> Result<(), Error> {
    let at_work = RUNNING.load(Ordering::Acquire) > 0;
    let (Ok(mut idle), Ok(mut pool), false) = (IDLE.try_lock(), POOL.try_lock(), at_work) else {
        return Err(Error::input(
            "this process was forked during a computation and cannot compute: \
             start processes with `spawn` or `forkserver`, or fork while no query runs",
        ));
    };
    // Not dropped: their threads are not here to see it.
    mem::forget(mem::take(&mut *idle));
    mem::forget(pool.take());
    FORKED.store(true, Ordering::Release);
    Ok(())
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
        RUNNING.fetch_sub(1, Ordering::AcqRel);
        tell();
        if !stays {
            break;
        }
    }
    // MPFR keeps constants for each thread.
    rug::float::free_cache(rug::float::FreeCache::Local);
}
