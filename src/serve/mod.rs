//! A page on this machine alone: a composition is typed or clicked together, and answered.
//!
//! A program on the loopback address can be reached by every page that the browser has open, and by every user of the
//! machine. So there is a token in the address that is made anew each time, the name of the host has to be the loopback
//! address (a name that was rebound to it is refused), an `Origin` has to be our own, and questions have to be JSON,
//! which no form of another page can send. Nothing that is asked can name a file, and nothing is written. Each question
//! has limits of size, time, memory and precision, few are worked at at a time, and one that nobody waits for is given
//! up.
//!
//! | file | is |
//! |---|---|
//! | `wire` | connections, and what they may cost |
//! | `door` | who is let in |
//! | `desk` | a question in JSON, its answer in JSON |
//! | `picture` | the trade-off function of what was asked, as SVG |
//! | `page.html`, `page.css`, `page.js` | what the browser shows |

mod desk;
mod door;
mod picture;
mod wire;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use crate::error::Error;
use crate::supervise;
use enclosure::Budget;

pub use self::desk::Limits;
use self::door::{Asked, Door, Refusal};
use self::wire::Gone;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page that waits for its reader.
pub struct Served {
    listener: TcpListener,
    page: Page,
}

/// What is told to whoever is let in.
struct Page {
    door: Door,
    limits: Limits,
}

impl Served {
    /// Bind it to a port of the loopback address; 0 is any that is free.
    ///
    /// # Errors
    /// The port is taken, or there is no randomness.
    pub fn open(port: u16, limits: Limits) -> Result<Self, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bound = TcpListener::bind(address).and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (port, listener) = bound.map_err(|error| Error::input(format!("{address}: {error}")))?;
        Ok(Served { listener, page: Page { door: Door::new(port)?, limits } })
    }

    /// Where it is, token and all.
    pub fn address(&self) -> String {
        self.page.door.address()
    }

    /// Answer until Ctrl-C.
    ///
    /// # Errors
    /// The system gives no means to.
    pub fn run(self) -> Result<(), Error> {
        let address = format!("127.0.0.1:{}", self.page.door.port());
        wire::run(self.listener, self.page).map_err(|error| Error::input(format!("{address}: {error}")))
    }
}

impl Page {
    /// What is asked for without a question.
    fn part(&self, asked: Asked) -> (&'static str, Vec<u8>) {
        match asked {
            Asked::Style => ("text/css; charset=utf-8", STYLE.into()),
            Asked::Script => ("text/javascript; charset=utf-8", SCRIPT.into()),
            Asked::Mechanisms => ("application/json", desk::mechanisms()),
            Asked::Page | Asked::Question | Asked::Curve => ("text/html; charset=utf-8", PAGE.into()),
        }
    }

    /// The answer to a question, while somebody waits for it. A mistake of ours ends this answer, and no other.
    fn answer(&self, asked: Asked, body: &str, gone: &Gone) -> Result<(&'static str, Vec<u8>), Refusal> {
        let budget = self.limits.budget(gone);
        let answered = supervise::caught(|| answered(asked, body, &budget));
        answered.map_err(|error| {
            let status = if matches!(error, Error::Internal { .. }) { 500 } else { 400 };
            Refusal::new(status, &desk::told(&error))
        })
    }
}

/// An answer is waited for by who computes it and knows what was proven in time: nobody else may give it up.
fn answered(asked: Asked, body: &str, budget: &Budget) -> Result<(&'static str, Vec<u8>), Error> {
    let (own, body) = (budget.clone(), body.to_string());
    let question = supervise::within(budget, move || desk::parse(&body))?;
    if let Asked::Curve = asked {
        let picture = supervise::within(budget, move || picture::draw(&question, &own))?;
        return Ok(("image/svg+xml", picture));
    }
    Ok(("application/json", desk::answered(&question, budget)?))
}
