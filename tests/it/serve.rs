//! The page that `dpcert serve` shows, asked over HTTP as a browser would, and as others might.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::Folder;

/// It takes longer than anybody waits.
const HARD: &str = r#"{"mechanism":"poisson(rate=1/100, gaussian(sigma=1/3))^100000","at":"1e-9","digits":900}"#;

/// A page that is served in an empty folder, until the value is dropped.
struct Served {
    child: Child,
    folder: Folder,
    port: u16,
    path: String,
}

impl Served {
    fn new(arguments: &[&str]) -> Self {
        let folder = Folder::new("serve");
        let mut child = Command::new(env!("CARGO_BIN_EXE_dpcert"))
            .arg("serve")
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dpcert starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("the loopback address");
        let (port, path) = rest.split_once('/').expect("a token");
        Served { child, folder, port: port.parse().expect("a port"), path: format!("/{path}") }
    }

    /// What is sent, byte for byte, and the status and the text that come back.
    fn raw(&self, sent: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("somebody listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        // One that is refused may not be read to its end.
        let _ = stream.write_all(sent);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let status = reply.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, reply)
    }

    fn request(&self, head: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let text = format!("{head} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        self.raw(text.as_bytes())
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn get(&self, name: &str) -> (u16, String) {
        self.request(&format!("GET {}{name}", self.path), &self.host(), "")
    }

    fn post(&self, name: &str, body: &str) -> (u16, String) {
        let headers = format!("{}Content-Type: application/json\r\n", self.host());
        self.request(&format!("POST {}{name}", self.path), &headers, body)
    }

    fn answer(&self, body: &str) -> (u16, Value) {
        let (status, reply) = self.post("answer", body);
        let (_, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {reply}")))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_answers_as_the_program_does() {
    let served = Served::new(&[]);
    let (status, page) = served.get("");
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'") && page.contains("<h1>dpcert</h1>"));
    assert!(!page.contains("http-equiv") && !page.contains("https://"), "the page loads from elsewhere");
    for part in ["page.css", "page.js", "mechanisms"] {
        assert_eq!(served.get(part).0, 200, "{part}");
    }
    let asked = r#"{"mechanism":"gaussian(sigma=2)^4*laplace(scale=3)","quantity":"delta","at":"1/2","digits":12}"#;
    let (status, reply) = served.answer(asked);
    assert_eq!(status, 200, "{reply}");
    // The same question, as the page says that a shell asks it, and as `dpcert answer` does.
    let shell = reply["shell"].as_str().expect("a command");
    let expected = "dpcert delta 'gaussian(sigma=2)^4 * laplace(scale=3)' --epsilon '1/2' --digits 12";
    assert_eq!(shell, expected);
    let words: Vec<&str> = shell
        .split('\'')
        .enumerate()
        .flat_map(|(i, text)| match i % 2 {
            1 => vec![text],
            _ => text.split_whitespace().collect(),
        })
        .collect();
    let said = Command::new(env!("CARGO_BIN_EXE_dpcert")).args(&words[1..]).arg("--json").output().expect("it runs");
    let said: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    for field in ["kind", "lower", "upper", "f64_lower", "f64_upper", "mechanism", "method"] {
        assert_eq!(reply["answer"][field], said[field], "{field}");
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_dpcert"))
        .arg("answer")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let line = reply["json"].as_str().expect("a question");
    program.stdin.take().expect("a pipe").write_all(line.as_bytes()).expect("it reads");
    let answered: Value = serde_json::from_slice(&program.wait_with_output().expect("it ends").stdout).expect("JSON");
    assert_eq!(answered["lower"], said["lower"]);
    assert!(reply["python"].as_str().is_some_and(|text| text.contains(r#"dpcert.delta("gaussian(sigma=2)^4"#)));
    assert!(reply["answer"]["explain"].as_array().is_some_and(|notes| notes.len() > 2));
}

#[test]
fn the_curve_is_a_picture() {
    let served = Served::new(&[]);
    for mechanism in ["gaussian(sigma=1)", "randomized-response(epsilon=1)^3"] {
        let (status, svg) = served.post("curve", &format!(r#"{{"mechanism":"{mechanism}"}}"#));
        assert_eq!(status, 200, "{svg}");
        assert!(svg.contains("content-type: image/svg+xml") && svg.contains("<polyline"), "{svg}");
        assert!(!svg.contains("<script"));
    }
}

#[test]
fn questions_that_are_none_are_refused_in_one_line() {
    let served = Served::new(&[]);
    for (body, why) in [
        ("", "EOF"),
        ("[]", "invalid"),
        (r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5","file":"x"}"#, "unknown field"),
        (r#"{"mechanism":"gauss(sigma=1)","at":"1e-5"}"#, "gauss"),
        (r#"{"mechanism":"gaussian(sigma=0)","at":"1e-5"}"#, "sigma"),
        (r#"{"mechanism":"gaussian(sigma=1)","at":"2"}"#, "delta"),
        (r#"{"mechanism":"gaussian(sigma=1)","at":"x"}"#, "delta"),
        (r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5","digits":0}"#, "digits"),
        (r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5","digits":4000000000}"#, "digits"),
        (r#"{"mechanism":"gaussian(sigma=1)","quantity":"everything","at":"1e-5"}"#, "unknown variant"),
    ] {
        let (status, reply) = served.answer(body);
        let said = reply["error"].as_str().unwrap_or_default();
        assert!(status == 400 && said.contains(why) && !said.contains('\n'), "{body}: {status} {reply}");
    }
    // Files are neither read nor written, whatever they are.
    fs::write(served.folder.join("secret.toml"), "[[mechanism]]\nname = \"gdp\"\nmu = 12345\n").expect("a file");
    for mechanism in
        ["@secret.toml", "@/etc/passwd", "gaussian(sigma=1) * @secret.toml", "poisson(rate=1/2, @secret.toml)"]
    {
        for name in ["answer", "curve"] {
            let (status, reply) = served.post(name, &format!(r#"{{"mechanism":"{mechanism}","at":"1e-5"}}"#));
            assert!(status == 400 && !reply.contains("12345") && !reply.contains("root:"), "{reply}");
        }
    }
    assert_eq!(fs::read_dir(served.folder.path()).expect("the folder").count(), 1);
}

#[test]
fn others_are_not_let_in() {
    let served = Served::new(&[]);
    let question = r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5"}"#;
    let (port, path) = (served.port, served.path.clone());
    let host = served.host();
    let json = "Content-Type: application/json\r\n";
    for (head, headers, wanted) in [
        (format!("GET {path}"), format!("Host: rebound.example:{port}\r\n"), 403),
        (format!("GET {path}"), String::new(), 403),
        ("GET /".to_string(), host.clone(), 404),
        (format!("GET /{}/", "0".repeat(path.len() - 2)), host.clone(), 404),
        (format!("GET {path}../../etc/passwd"), host.clone(), 404),
        (format!("POST {path}answer"), format!("{host}{json}Origin: http://evil.example\r\n"), 403),
        (format!("POST {path}answer"), format!("{host}Content-Type: text/plain\r\n"), 415),
        (format!("OPTIONS {path}answer"), format!("{host}Origin: http://evil.example\r\n"), 403),
        (format!("GET {path}answer"), host.clone(), 405),
        (format!("DELETE {path}"), host.clone(), 405),
    ] {
        let (status, reply) = served.request(&head, &headers, question);
        assert_eq!(status, wanted, "{head} {headers}: {reply}");
        assert!(!reply.to_ascii_lowercase().contains("access-control-allow"), "{reply}");
        assert!(!reply.contains(path.trim_matches('/')), "the token is told");
    }
    // Too long, said and sent; and still there afterwards.
    let long = format!(r#"{{"mechanism":"{}","at":"1"}}"#, "x".repeat(1 << 17));
    assert_eq!(served.post("answer", &long).0, 413);
    let chunks = format!(
        "POST {path}answer HTTP/1.1\r\n{host}{json}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
                          20000\r\n{}\r\n0\r\n\r\n",
        "x".repeat(0x20000)
    );
    assert_eq!(served.raw(chunks.as_bytes()).0, 413);
    let _ = served.raw(b"nonsense\r\n\r\n");
    for length in ["1152921504606846976", "99999999999999999999999999", "-1"] {
        let (status, reply) =
            served.request(&format!("POST {path}answer"), &format!("{host}Content-Length: {length}\r\n"), "");
        assert!(status == 400 || status == 415, "{reply}");
    }
    assert_eq!(served.get(&"x".repeat(1 << 20)).0 / 100, 4);
    let (status, _) = served.request("GET /", &format!("{host}X: {}\r\n", "x".repeat(1 << 20)), "");
    assert!(matches!(status, 0 | 400..=499), "{status}");
    assert_eq!(served.answer(question).0, 200);
    // A head that says two things, or nothing that is text.
    let twice = format!("{host}Host: rebound.example\r\n");
    let strange = format!("{host}{json}Origin: \u{e9}\r\n");
    assert_eq!(served.request(&format!("GET {path}"), &twice, "").0, 403);
    assert_eq!(served.request(&format!("POST {path}answer"), &strange, question).0, 403);
    assert_eq!(served.request(&format!("GET http://127.0.0.1:{port}{path}"), &host, "").0, 404);
    // From another address of this machine there is nobody to talk to.
    assert!(TcpStream::connect_timeout(&([127, 0, 0, 2], port).into(), Duration::from_secs(1)).is_err());
}

#[test]
fn a_question_ends_with_its_time() {
    let served = Served::new(&["--timeout", "0.2"]);
    let (status, reply) = served.answer(HARD);
    assert_eq!(status, 200, "{reply}");
    let answer = &reply["answer"];
    assert!(answer["kind"] == "undecided" || answer["digits"].as_u64().is_some_and(|n| n < 900), "{reply}");
}

/// Who speaks slowly, or not at all, is in nobody's way; and is not waited for without end.
#[test]
fn silence_is_in_nobodys_way() {
    let served = Served::new(&[]);
    let connect = || TcpStream::connect(("127.0.0.1", served.port)).expect("somebody listens");
    let begun = Instant::now();
    let mut silent: Vec<TcpStream> = (0..60).map(|_| connect()).collect();
    for (i, stream) in silent.iter_mut().enumerate() {
        let length = if i % 2 == 0 { "10000" } else { "1000000000" };
        let head =
            format!("POST {}answer HTTP/1.1\r\n{}Content-Type: application/json\r\n", served.path, served.host());
        let said =
            [&b""[..], b"POST /", head.as_bytes(), format!("{head}Content-Length: {length}\r\n\r\n{{").as_bytes()]
                [i % 4]
                .to_vec();
        stream.write_all(&said).expect("it listens");
    }
    assert_eq!(served.answer(r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5"}"#).0, 200);
    for mut stream in silent {
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let waited = begun.elapsed();
    assert!(waited < Duration::from_secs(45), "{waited:?}");
}

/// As many hard questions as are worked at at a time, and nobody to hear the answers: they end with their connections.
#[test]
fn a_question_that_nobody_waits_for_is_given_up() {
    let served = Served::new(&["--timeout", "600"]);
    for _ in 0..3 {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).expect("somebody listens");
        let (path, host, length) = (&served.path, served.host(), HARD.len());
        let head =
            format!("POST {path}answer HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {length}");
        stream.write_all(format!("{head}\r\n\r\n{HARD}").as_bytes()).expect("it listens");
        // It has begun.
        std::thread::sleep(Duration::from_millis(300));
    }
    let begun = Instant::now();
    assert_eq!(served.answer(r#"{"mechanism":"gaussian(sigma=1)","at":"1e-5"}"#).0, 200);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn an_interrupt_ends_it_whatever_is_asked() {
    let mut served = Served::new(&["--timeout", "600"]);
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).expect("somebody listens");
    let (path, host, length) = (&served.path, served.host(), HARD.len());
    let head =
        format!("POST {path}answer HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: {length}");
    stream.write_all(format!("{head}\r\n\r\n{HARD}").as_bytes()).expect("it listens");
    assert_eq!(served.get("").0, 200);
    let process = Pid::from_child(&served.child);
    kill_process(process, Signal::INT).expect("it is there");
    let begun = Instant::now();
    let ended = loop {
        if let Some(status) = served.child.try_wait().expect("a child") {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(0));
}
