//! Who is let in: whoever knows the address of this run, from this machine's browser, under the loopback address.

use std::fmt::Write;

use crate::error::Error;

/// Random bytes of a token.
const BYTES: usize = 16;

/// Why a request is turned away.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// As HTTP counts.
    pub status: u16,
    /// In a sentence.
    pub why: String,
}

/// What may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The page itself.
    Page,
    /// How it looks.
    Style,
    /// What it does.
    Script,
    /// The mechanisms, to click on.
    Mechanisms,
    /// A number.
    Question,
    /// A picture.
    Curve,
}

impl Refusal {
    pub fn new(status: u16, why: &str) -> Self {
        Refusal { status, why: why.to_string() }
    }
}

impl Asked {
    /// Is there a question to read?
    pub fn is_question(self) -> bool {
        matches!(self, Asked::Question | Asked::Curve)
    }
}

/// The port and the token of this run.
pub struct Door {
    port: u16,
    token: String,
}

impl Door {
    /// A door with a new token.
    pub fn new(port: u16) -> Result<Self, Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Error::input(format!("no random token: {error}")))?;
        let mut token = String::new();
        for byte in bytes {
            // Writing to a text does not fail.
            let _ = write!(token, "{byte:02x}");
        }
        Ok(Door { port, token })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What is asked for, if it may be.
    ///
    /// The host is looked at first: a page under a name of its own that was rebound to the loopback address is told
    /// nothing, not even whether it has guessed the token.
    pub fn admit<'a>(
        &self,
        method: &str,
        url: &str,
        header: impl Fn(&'static str) -> Option<&'a str>,
    ) -> Result<Asked, Refusal> {
        let refuse = |status, why: &str| Err(Refusal::new(status, why));
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        if !header("Host").is_some_and(|host| hosts.iter().any(|own| own == host)) {
            return refuse(403, "the host has to be the loopback address");
        }
        let own = |origin: &str| hosts.iter().any(|host| origin == format!("http://{host}"));
        if header("Origin").is_some_and(|origin| !own(origin)) {
            return refuse(403, "another page must not ask");
        }
        if header("Sec-Fetch-Site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return refuse(403, "another page must not ask");
        }
        let (token, path) = url.strip_prefix('/').and_then(|rest| rest.split_once('/')).unwrap_or_default();
        if !same(token, &self.token) {
            return refuse(404, "there is nothing here: the address that the program printed has to be whole");
        }
        let asked = match path {
            "" => Asked::Page,
            "page.css" => Asked::Style,
            "page.js" => Asked::Script,
            "mechanisms" => Asked::Mechanisms,
            "answer" => Asked::Question,
            "curve" => Asked::Curve,
            _ => return refuse(404, "there is nothing here"),
        };
        match (asked.is_question(), method) {
            (true, "POST") => {}
            (true, _) => return refuse(405, "a question is sent by POST"),
            (false, "GET" | "HEAD") => return Ok(asked),
            (false, _) => return refuse(405, "a page is asked for by GET"),
        }
        // Forms of other pages cannot send this without being asked about it first, and then are refused.
        match header("Content-Type") {
            Some(kind) if kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json") => Ok(asked),
            _ => refuse(415, "a question is JSON"),
        }
    }
}

/// Are they the same? The time that takes tells nothing of where they differ.
fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door() -> Door {
        Door { port: 8080, token: "0123abcd".to_string() }
    }

    fn status(method: &str, url: &str, headers: &[(&str, &'static str)]) -> Result<Asked, u16> {
        let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        door().admit(method, url, header).map_err(|refusal| refusal.status)
    }

    const HOST: (&str, &str) = ("Host", "127.0.0.1:8080");
    const JSON: (&str, &str) = ("Content-Type", "application/json");

    #[test]
    fn who_knows_the_address_is_let_in() {
        assert_eq!(status("GET", "/0123abcd/", &[HOST]), Ok(Asked::Page));
        assert_eq!(status("GET", "/0123abcd/page.js", &[("Host", "localhost:8080")]), Ok(Asked::Script));
        let own = ("Origin", "http://127.0.0.1:8080");
        assert_eq!(status("POST", "/0123abcd/answer", &[HOST, JSON, own]), Ok(Asked::Question));
    }

    #[test]
    fn nobody_else_is() {
        for host in ["evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil.example", ""] {
            assert_eq!(status("GET", "/0123abcd/", &[("Host", host)]), Err(403), "{host}");
        }
        assert_eq!(status("GET", "/0123abcd/", &[]), Err(403));
        for url in ["/", "", "/0123abce/", "/0123abcd", "/0123abcdd/", "//", "/0123abc/", "/0123abcd/../etc/passwd"] {
            assert_eq!(status("GET", url, &[HOST]), Err(404), "{url}");
        }
        for origin in ["http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1:8081"] {
            assert_eq!(status("POST", "/0123abcd/answer", &[HOST, JSON, ("Origin", origin)]), Err(403), "{origin}");
        }
        let site = ("Sec-Fetch-Site", "cross-site");
        assert_eq!(status("GET", "/0123abcd/", &[HOST, site]), Err(403));
        assert_eq!(status("POST", "/0123abcd/answer", &[HOST, ("Content-Type", "text/plain")]), Err(415));
        assert_eq!(status("POST", "/0123abcd/answer", &[HOST]), Err(415));
        assert_eq!(status("GET", "/0123abcd/answer", &[HOST, JSON]), Err(405));
        assert_eq!(status("PUT", "/0123abcd/", &[HOST]), Err(405));
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (Door::new(1).unwrap(), Door::new(1).unwrap());
        assert_eq!(one.token.len(), 2 * BYTES);
        assert_ne!(one.token, other.token);
    }
}
