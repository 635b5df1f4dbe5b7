//! The report as a page: one file that a browser opens from disk and that loads nothing.
//!
//! The page is a template with gaps. What a reader wants to know first ([`lead`]) stands in it as markup, and is there
//! without JavaScript. All else is drawn by a script from the judgements: JSON, compressed (it has the same words a
//! hundred thousand times, and becomes a twelfth), in base64. The script puts text into the page as text, never as
//! markup.
//!
//! Judgements quote other programs, so they must not be able to end the element that holds them, whatever those
//! printed. In base64 there is nothing that could, and in the markup all of it is escaped. The gaps are filled in one
//! pass over the template, so that text that looks like a gap is not taken for one.
//!
//! The bytes depend on the report alone: no clock, no host, no order of a hash table.

mod data;
mod lead;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Report;
use crate::error::Error;

const TEMPLATE: &str = include_str!("html/template.html");
const STYLE: &str = include_str!("html/report.css");
const SCRIPT: &str = include_str!("html/report.js");

/// Text about packages that `dpcert` has adapters for.
const RELEASED: &str = "\
sent queries with provable answers to the released packages named here. For each query it computes proven lower and
upper bounds on the true value, as tight as the comparison needs. The package's number is compared with both bounds as
an exact fraction, without tolerance, for exactly the double-precision inputs the package received. Each package was
called through its public functions, as its users call it. Each number is judged as its documentation describes it: as
an upper bound, a lower bound, or an estimate.";

/// Text about a custom program.
const OWN: &str = "\
sent queries with provable answers to the program named here, through its adapter. For each query it computes proven
lower and upper bounds on the true value, as tight as the comparison needs. The program's number is compared with both
bounds as an exact fraction, without tolerance, for exactly the double-precision inputs the program received. Each
number is judged as the adapter declares it: as an upper bound, a lower bound, or an estimate.";

/// One self-contained page.
///
/// # Errors
/// [`Error::Input`] if the list of packages inside of this program cannot be read.
pub fn page(report: &Report) -> Result<String, Error> {
    let data = data::Data::of(report)?;
    let who = if data.is_own() { OWN } else { RELEASED };
    let title = lead::title(report);
    let json = serde_json::to_string(&data)
        .map_err(|error| Error::input(format!("cannot write the report as JSON: {error}")))?;
    let data = embedded(&json).map_err(|error| Error::input(format!("cannot compress the report: {error}")))?;
    let (lead, counts) = (lead::lead(report), lead::counts(report));
    let gaps = [
        ("{{title}}", title.as_str()),
        ("{{css}}", STYLE),
        ("{{title}}", &title),
        ("{{lead}}", &lead),
        ("{{counts}}", &counts),
        ("{{who}}", who),
        ("{{data}}", &data),
        ("{{js}}", SCRIPT),
    ];
    Ok(filled(TEMPLATE, &gaps))
}

/// The text, compressed by gzip, in base64.
fn embedded(json: &str) -> std::io::Result<String> {
    // Without a time or the name of a system.
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(json.as_bytes())?;
    Ok(base64(&packed.finish()?))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_usize, |bits, &byte| bits << 8 | usize::from(byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let sign = SIGNS[bits >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

/// The template with its gaps filled, each once and in this order.
fn filled(template: &str, gaps: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    for (gap, content) in gaps {
        if let Some((before, after)) = rest.split_once(gap) {
            text.push_str(before);
            text.push_str(content);
            rest = after;
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::audit::judgement::{Judgement, Party, Size, Verdict};
    use crate::audit::question::{Asked, At, Question, Step};
    use crate::audit::report::Course;

    /// Text made to break out of whatever it is put into.
    const HOSTILE: &str =
        "</script><script>alert(1)</script><!-- <script> ]]> &lt; {{js}} {{data}} \u{2028}\" \\ \u{0}";

    fn report(text: &str) -> Report {
        let party = Party { peer: text.to_string(), version: text.to_string(), api: text.to_string() };
        let question = Question {
            flags: vec![text.to_string()],
            comment: text.to_string(),
            ..Question::new(text, Asked::Delta, vec![Step::new("gaussian", &[("sigma", 1.0)])], At::default())
        };
        let mut judgement = Judgement::of(&party, &question, Verdict::Failed);
        for field in [&mut judgement.claim, &mut judgement.call, &mut judgement.says, &mut judgement.message] {
            *field = Some(text.to_string());
        }
        let course = Course {
            party,
            documentation: format!("javascript:{text}"),
            questions: 1,
            restarts: 0,
            talk: 0,
            gave_up: Some(text.to_string()),
        };
        Report { courses: vec![course], judgements: vec![judgement], ..Report::new() }
    }

    /// What stands between the element's tags.
    fn packed(page: &str) -> &str {
        let (_, after) = page.split_once("id=\"data\">").expect("the page has data");
        after.split_once("</script>").expect("the element ends").0
    }

    /// What that says.
    fn data_of(page: &str) -> String {
        let (mut bytes, mut bits, mut known) = (Vec::new(), 0_u32, 0);
        for sign in packed(page).bytes().filter(|&sign| sign != b'=') {
            let value = match sign {
                b'A'..=b'Z' => sign - b'A',
                b'a'..=b'z' => sign - b'a' + 26,
                b'0'..=b'9' => sign - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => panic!("{sign} is no base64"),
            };
            bits = bits << 6 | u32::from(value);
            known += 6;
            if known >= 8 {
                known -= 8;
                bytes.push((bits >> known & 0xff) as u8);
            }
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip of text");
        text
    }

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_everybody() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// Repeated texts are stored once.
    #[test]
    fn what_is_said_again_takes_no_room() {
        let (one, mut many) = (report("calm"), report("calm"));
        let first = many.judgements[0].clone();
        many.judgements.extend(std::iter::repeat_n(first, 5000));
        let size = |report: &Report| page(report).expect("a page").len();
        assert!(size(&many) < size(&one) + 5000, "{} {}", size(&many), size(&one));
    }

    #[test]
    fn nothing_breaks_out_of_the_data() {
        let calm = page(&report("calm")).expect("a page");
        let page = page(&report(HOSTILE)).expect("a page");
        for sign in ["</", "<!--", "<script"] {
            assert_eq!(page.matches(sign).count(), calm.matches(sign).count(), "{sign}");
        }
        assert!(packed(&page).bytes().all(|sign| sign.is_ascii_alphanumeric() || b"+/=".contains(&sign)));
        let data: serde_json::Value = serde_json::from_str(&data_of(&page)).expect("still JSON");
        assert_eq!(data["parties"][0]["peer"], HOSTILE);
        assert_eq!(data["questions"][0]["id"], HOSTILE);
        let place = data["judgements"][0]["message"].as_u64().and_then(|place| usize::try_from(place).ok());
        assert_eq!(data["texts"][place.expect("a message")], HOSTILE);
    }

    #[test]
    fn a_page_has_no_gaps_left_and_loads_nothing() {
        let page = page(&report("calm")).expect("a page");
        assert!(!page.contains("{{"));
        for load in [" src=", "@import", "url(http", "href=\"http", "fetch(", "XMLHttpRequest", "innerHTML"] {
            assert!(!page.contains(load), "{load}");
        }
    }

    /// What a reader wants to know first stands in the page itself.
    #[test]
    fn the_verdict_needs_no_script() {
        let mut report = report("calm");
        let judgement = &mut report.judgements[0];
        (judgement.verdict, judgement.size, judgement.reason) = (Verdict::Unsound, Some(Size::Gross), None);
        let page = page(&report).expect("a page");
        let (before, _) = page.split_once("<script").expect("a script");
        for part in ["calm calm calm is not sound:", "unsound (gross)", "to reproduce:", "through its adapter"] {
            assert!(before.contains(part), "{part}");
        }
        assert!(!page.contains("released packages"));
    }

    #[test]
    fn the_same_report_gives_the_same_bytes() {
        assert_eq!(page(&report("calm")).expect("a page"), page(&report("calm")).expect("a page"));
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let page = page(&Report::new()).expect("a page");
        assert!(data_of(&page).contains("\"judgements\":[]"));
    }
}
