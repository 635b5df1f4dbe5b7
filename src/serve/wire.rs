//! Connections: HTTP by hyper, one request each, with limits on size and time.
//!
//! Every program of this machine can connect before a token is checked. Therefore a request head has at most
//! [`LONGEST_HEAD`] bytes, a body is read only for admitted queries, both must arrive within [`PATIENCE`], and at most
//! [`CONNECTIONS`] are open at a time.

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

/// Largest number of open connections.
const CONNECTIONS: usize = 64;

/// Largest number of concurrent queries. A curve may be drawn while a number is computed.
const WORKERS: usize = 3;

/// Largest size of request line and headers, in bytes.
const LONGEST_HEAD: usize = 1 << 14;

/// Largest size of a query, in bytes.
const LONGEST: usize = 1 << 16;

/// Number of bytes read of an oversized query before it is refused. Some clients read no reply while they send.
const HEARD: usize = 1 << 20;

/// Time limit for receiving a request and for sending a reply.
const PATIENCE: Duration = Duration::from_secs(10);

/// Content security policy: own script, own style, requests to the own host, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob: data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Cancellation flag of a query, set when its connection is closed.
pub type Gone = Arc<AtomicBool>;

/// Sets the flag when dropped.
struct Leaves(Gone);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Serve connections until Ctrl-C.
pub fn run(listener: Bound, page: Page) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        tokio::spawn(accept(listener, Arc::new(page)));
        tokio::signal::ctrl_c().await
    });
    // Running computations end with the process.
    runtime.shutdown_background();
    ended
}

async fn accept(listener: TcpListener, page: Arc<Page>) {
    let (places, workers) = (Arc::new(Semaphore::new(CONNECTIONS)), Arc::new(Semaphore::new(WORKERS)));
    // The semaphores are never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (page, workers) = (Arc::clone(&page), Arc::clone(&workers));
                tokio::spawn(async move {
                    converse(stream, page, workers).await;
                    drop(place);
                });
            }
            // Temporary failure, for instance no free file descriptor.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Handle one request.
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
    // Time to receive the request, wait for running queries, compute, and send the reply. Errors of a connection are
    // the client's.
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
        Err(_) => return Err(Refusal::new(408, "the query did not arrive in time")),
    };
    let gone = Gone::default();
    let leaves = Leaves(Arc::clone(&gone));
    let mistake = || Refusal::new(500, "bug in dpcert: the query ended without a result");
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

/// Value of a header; empty if the header is repeated or is not text.
fn header<'a>(head: &'a Parts, name: &str) -> Option<&'a str> {
    let mut values = head.headers.get_all(name).iter();
    let first = values.next()?;
    Some(if values.next().is_none() { first.to_str().unwrap_or_default() } else { "" })
}

/// Read the query.
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
        return Err(Refusal::new(413, &format!("a query may have at most {LONGEST} bytes")));
    }
    String::from_utf8(text).map_err(|_| Refusal::new(400, "a query must be UTF-8 text"))
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
