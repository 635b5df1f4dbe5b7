//! Local web page: the user types a composition, or selects its mechanisms from a list, and the page shows the
//! answer.
//!
//! Every page that the browser has open, and every user of the machine, can reach a server on the loopback address.
//! Therefore:
//!
//! * The address contains a token that is new for each run.
//! * The host name must be the loopback address. A name that was rebound to it is refused.
//! * An `Origin` header must name this server.
//! * Queries must be JSON, which a form of another page cannot send.
//! * Queries cannot name files, and nothing is written.
//! * Each query has limits of size, time, memory and precision. Few queries run at a time. A query is cancelled when
//!   its connection is closed.
//!
//! | file | contents |
//! |---|---|
//! | `wire` | connections and their limits |
//! | `door` | access control |
//! | `desk` | queries and answers in JSON |
//! | `picture` | the trade-off function of a query, as SVG |
//! | `page.html`, `page.css`, `page.js` | the page |

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

/// Server of the page.
pub struct Served {
    listener: TcpListener,
    page: Page,
}

/// Contents and limits of the page.
struct Page {
    door: Door,
    limits: Limits,
}

impl Served {
    /// Bind the server to a port of the loopback address; 0 selects any free port.
    ///
    /// # Errors
    /// The port is in use, or the system has no source of randomness.
    pub fn open(port: u16, limits: Limits) -> Result<Self, Error> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bound = TcpListener::bind(address).and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (port, listener) = bound.map_err(|error| Error::input(format!("{address}: {error}")))?;
        Ok(Served { listener, page: Page { door: Door::new(port)?, limits } })
    }

    /// Address of the page, with the token.
    pub fn address(&self) -> String {
        self.page.door.address()
    }

    /// Serve until Ctrl-C.
    ///
    /// # Errors
    /// The system refuses to start the server.
    pub fn run(self) -> Result<(), Error> {
        let address = format!("127.0.0.1:{}", self.page.door.port());
        wire::run(self.listener, self.page).map_err(|error| Error::input(format!("{address}: {error}")))
    }
}

impl Page {
    /// Resource that needs no query.
    fn part(&self, asked: Asked) -> (&'static str, Vec<u8>) {
        match asked {
            Asked::Style => ("text/css; charset=utf-8", STYLE.into()),
            Asked::Script => ("text/javascript; charset=utf-8", SCRIPT.into()),
            Asked::Mechanisms => ("application/json", desk::mechanisms()),
            Asked::Page | Asked::Question | Asked::Curve => ("text/html; charset=utf-8", PAGE.into()),
        }
    }

    /// Answer a query until its connection is closed. A panic ends this query only.
    fn answer(&self, asked: Asked, body: &str, gone: &Gone) -> Result<(&'static str, Vec<u8>), Refusal> {
        let budget = self.limits.budget(gone);
        let answered = supervise::caught(|| answered(asked, body, &budget));
        answered.map_err(|error| {
            let status = if matches!(error, Error::Internal { .. }) { 500 } else { 400 };
            Refusal::new(status, &desk::told(&error))
        })
    }
}

/// Parse and answer a query. `desk::answered` supervises its own computation, so that it can return what is proven in
/// time.
fn answered(asked: Asked, body: &str, budget: &Budget) -> Result<(&'static str, Vec<u8>), Error> {
    let (own, body) = (budget.clone(), body.to_string());
    let question = supervise::within(budget, move || desk::parse(&body))?;
    if let Asked::Curve = asked {
        let picture = supervise::within(budget, move || picture::draw(&question, &own))?;
        return Ok(("image/svg+xml", picture));
    }
    Ok(("application/json", desk::answered(&question, budget)?))
}
