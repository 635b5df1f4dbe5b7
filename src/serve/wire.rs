//! Connections: HTTP by hyper, one request each, with a limit on what a stranger may send and on the time that takes.
//!
//! Every program of this machine can connect, before any token was read. So a head has at most [`LONGEST_HEAD`] bytes,
//! a body is read of those alone who may ask a question, both within [`PATIENCE`], and there are at most
//! [`CONNECTIONS`] at a time: whoever comes then waits outside.

use std::convert::Infallible;
use std::net::TcpListener as Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::Page;
use super::door::Refusal;

/// Connections at a time.
const CONNECTIONS: usize = 64;

/// Questions that are worked at at a time: a curve may be drawn while a number is asked for.
const WORKERS: usize = 3;

/// Line and headers of a request.
const LONGEST_HEAD: usize = 1 << 14;

/// The longest question in bytes: far more than anybody types.
const LONGEST: usize = 1 << 16;

/// Of a question that is too long so much is heard before it is refused, for some hear nothing while they speak.
const HEARD: usize = 1 << 20;

/// How long a request may take to arrive, and a reply to be taken.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a browser may do with the page: run its own script, show its own style, ask its own host, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Is the one who asked still there? Raised when the connection is gone: then nobody waits for the answer.
pub type Gone = Arc<AtomicBool>;

/// Raises it at the end, however that comes.
struct Leaves(Gone);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answer whoever connects, until Ctrl-C.
pub fn run(listener: Bound, page: Page) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        tokio::spawn(accept(listener, Arc::new(page)));
        tokio::signal::ctrl_c().await
    });
    // What is still being computed ends with the process.
    runtime.shutdown_background();
    ended
}

async fn accept(listener: TcpListener, page: Arc<Page>) {
    let (places, workers) = (Arc::new(Semaphore::new(CONNECTIONS)), Arc::new(Semaphore::new(WORKERS)));
    // Nobody closes them.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (page, workers) = (Arc::clone(&page), Arc::clone(&workers));
                tokio::spawn(async move {
                    converse(stream, page, workers).await;
                    drop(place);
                });
            }
            // No descriptor is left, or the like: that passes.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// One request, one reply.
async fn converse(stream: TcpStream, page: Arc<Page>, workers: Arc<Semaphore>) {
    let service = service_fn(|request| {
        let (page, workers) = (Arc::clone(&page), Arc::clone(&workers));
        async move { Ok::<_, Infallible>(response(reply(request, page, workers).await)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(LONGEST_HEAD)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // It arrives, waits until the questions before it have ended, is answered, and is taken. A fault of a connection is
    // that of whoever made it.
    let whole = page.limits.timeout.saturating_mul(2).saturating_add(6 * PATIENCE);
    let _ = timeout(whole, connection).await;
}

async fn reply(
    request: Request<Incoming>,
    page: Arc<Page>,
    workers: Arc<Semaphore>,
) -> Result<(&'static str, Vec<u8>), Refusal> {
    let (head, body) = request.into_parts();
    let asked = page.door.admit(head.method.as_str(), &head.uri.to_string(), |name| header(&head, name))?;
    if !asked.is_question() {
        return Ok(page.part(asked));
    }
    let body = match timeout(PATIENCE, read(body)).await {
        Ok(body) => body?,
        Err(_) => return Err(Refusal::new(408, "the question did not come to its end in time")),
    };
    let gone = Gone::default();
    let leaves = Leaves(Arc::clone(&gone));
    let mistake = || Refusal::new(500, "a question ended without a word");
    let worker = workers.acquire_owned().await.map_err(|_| mistake())?;
    let answered = tokio::task::spawn_blocking(move || {
        let answered = page.answer(asked, &body, &gone);
        drop(worker);
        answered
    });
    let answered = answered.await.map_err(|_| mistake())?;
    drop(leaves);
    answered
}

/// A header. One that is there twice, or is no text, is there and says nothing.
fn header<'a>(head: &'a Parts, name: &str) -> Option<&'a str> {
    let mut values = head.headers.get_all(name).iter();
    let first = values.next()?;
    Some(if values.next().is_none() { first.to_str().unwrap_or_default() } else { "" })
}

/// The question.
async fn read(mut body: Incoming) -> Result<String, Refusal> {
    let (mut text, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Refusal::new(400, &error.to_string()))?;
        let Some(data) = frame.data_ref() else { continue };
        length += data.len();
        if length <= LONGEST {
            text.extend_from_slice(data);
        } else if length > HEARD {
            break;
        }
    }
    if length > LONGEST {
        return Err(Refusal::new(413, &format!("a question has at most {LONGEST} bytes")));
    }
    String::from_utf8(text).map_err(|_| Refusal::new(400, "a question is text in UTF-8"))
}

fn response(reply: Result<(&'static str, Vec<u8>), Refusal>) -> Response<Full<Bytes>> {
    let (status, kind, body) = match reply {
        Ok((kind, body)) => (200, kind, body),
        Err(refusal) => (refusal.status, "application/json", super::desk::refusal(&refusal.why)),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in [
        ("content-type", kind),
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
