//! The report as a page: one file that a browser opens from disk and that loads nothing.
//!
//! The page is a template with three gaps, filled with its style, its script and the judgements as JSON. The script draws
//! everything from that JSON, and puts text into the page as text, never as markup.
//!
//! Judgements quote other programs, so the JSON must not be able to end the element that holds it, whatever they printed.
//! It cannot: every `<`, `>` and `&` in it is written as an escape ([`embedded`]), which JSON allows wherever these
//! characters can stand, for that is in strings alone; so no `</script`, `<!--` or `]]>` is left. The gaps are filled in
//! one pass over the template, so that text that looks like a gap is not taken for one.
//!
//! The bytes depend on the report alone: no clock, no host, no order of a hash table.

mod data;

use super::Report;
use crate::error::Error;

const TEMPLATE: &str = include_str!("html/template.html");
const STYLE: &str = include_str!("html/report.css");
const SCRIPT: &str = include_str!("html/report.js");

/// One self-contained page.
///
/// # Errors
/// [`Error::Input`] if the list of packages inside of this program cannot be read.
pub fn page(report: &Report) -> Result<String, Error> {
    let data = data::Data::of(report)?;
    let json = serde_json::to_string(&data).map_err(|error| Error::input(format!("the report as JSON: {error}")))?;
    Ok(filled(TEMPLATE, &[("{{css}}", STYLE), ("{{data}}", &embedded(&json)), ("{{js}}", SCRIPT)]))
}

/// JSON that can stand inside of a script element. Outside of strings JSON has none of these characters.
fn embedded(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    for sign in json.chars() {
        match sign {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            // Ends of lines to some readers of scripts.
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            _ => text.push(sign),
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
    use super::*;
    use crate::audit::judgement::{Judgement, Party, Verdict};
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
    fn data_of(page: &str) -> &str {
        let (_, after) = page.split_once("id=\"data\">").expect("the page has data");
        after.split_once("</script>").expect("the element ends").0
    }

    #[test]
    fn nothing_breaks_out_of_the_data() {
        let calm = page(&report("calm")).expect("a page");
        let page = page(&report(HOSTILE)).expect("a page");
        for sign in ["</", "<!--", "<script"] {
            assert_eq!(page.matches(sign).count(), calm.matches(sign).count(), "{sign}");
        }
        let data = data_of(&page);
        assert!(!data.contains(['<', '>', '&', '\u{2028}']));
        let data: serde_json::Value = serde_json::from_str(data).expect("still JSON");
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
