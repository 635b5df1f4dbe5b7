//! Access control: a request must carry the token of this run and come from this machine, under the loopback address.

use std::fmt::Write;

use crate::error::Error;

/// Length of a token, in random bytes.
const BYTES: usize = 16;

/// Reason for refusing a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status code.
    pub status: u16,
    /// Message for the reader.
    pub why: String,
}

/// Resource that a request may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// HTML page.
    Page,
    /// Style sheet.
    Style,
    /// Script.
    Script,
    /// List of mechanisms.
    Mechanisms,
    /// Query for a number.
    Question,
    /// Query for a picture.
    Curve,
}

impl Refusal {
    pub fn new(status: u16, why: &str) -> Self {
        Refusal { status, why: why.to_string() }
    }
}

impl Asked {
    /// Whether the request has a body with a query.
    pub fn is_question(self) -> bool {
        matches!(self, Asked::Question | Asked::Curve)
    }
}

/// Port and token of this run.
pub struct Door {
    port: u16,
    token: String,
}

impl Door {
    /// Create a new token for this port.
    pub fn new(port: u16) -> Result<Self, Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::input(format!("cannot generate a random token: {error}")))?;
        let mut token = String::new();
        for byte in bytes {
            // Writing to a string does not fail.
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

    /// Check a request and return the resource that it names.
    ///
    /// The host is checked first: a page whose host name was rebound to the loopback address learns nothing, not even
    /// whether it guessed the token.
    pub fn admit<'a>(
        &self,
        method: &str,
        url: &str,
        header: impl Fn(&'static str) -> Option<&'a str>,
    ) -> Result<Asked, Refusal> {
        let refuse = |status, why: &str| Err(Refusal::new(status, why));
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        if !header("Host").is_some_and(|host| hosts.iter().any(|own| own == host)) {
            return refuse(403, "the host must be the loopback address");
        }
        let own = |origin: &str| hosts.iter().any(|host| origin == format!("http://{host}"));
        if header("Origin").is_some_and(|origin| !own(origin)) {
            return refuse(403, "requests from other pages are refused");
        }
        if header("Sec-Fetch-Site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return refuse(403, "requests from other pages are refused");
        }
        let (token, path) = url.strip_prefix('/').and_then(|rest| rest.split_once('/')).unwrap_or_default();
        if !same(token, &self.token) {
            return refuse(404, "not found; open the complete address that dpcert serve printed");
        }
        let asked = match path {
            "" => Asked::Page,
            "page.css" => Asked::Style,
            "page.js" => Asked::Script,
            "mechanisms" => Asked::Mechanisms,
            "answer" => Asked::Question,
            "curve" => Asked::Curve,
            _ => return refuse(404, "not found"),
        };
        match (asked.is_question(), method) {
            (true, "POST") => {}
            (true, _) => return refuse(405, "a query must be sent by POST"),
            (false, "GET" | "HEAD") => return Ok(asked),
            (false, _) => return refuse(405, "a page must be requested by GET"),
        }
        // Forms of other pages cannot send this type without a preflight request, which is refused.
        match header("Content-Type") {
            Some(kind) if kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json") => Ok(asked),
            _ => refuse(415, "a query must be JSON (content type application/json)"),
        }
    }
}

/// Constant-time comparison.
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
    fn admits_requests_with_the_token() {
        assert_eq!(status("GET", "/0123abcd/", &[HOST]), Ok(Asked::Page));
        assert_eq!(status("GET", "/0123abcd/page.js", &[("Host", "localhost:8080")]), Ok(Asked::Script));
        let own = ("Origin", "http://127.0.0.1:8080");
        assert_eq!(status("POST", "/0123abcd/answer", &[HOST, JSON, own]), Ok(Asked::Question));
    }

    #[test]
    fn refuses_all_other_requests() {
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
    fn tokens_are_long_and_distinct() {
        let (one, other) = (Door::new(1).unwrap(), Door::new(1).unwrap());
        assert_eq!(one.token.len(), 2 * BYTES);
        assert_ne!(one.token, other.token);
    }
}
