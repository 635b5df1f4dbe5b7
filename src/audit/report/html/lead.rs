//! Summary at the top of the page: whether the accountant is sound, and its worst claim.
//!
//! It is markup of its own, so that it is there without JavaScript. All text in it comes from other programs, and is
//! escaped; signs that would hide or turn around other text are shown by their numbers.

use std::fmt::Write;

use crate::audit::judgement::{Judgement, Party, Size, Verdict};
use crate::audit::report::summary::worst;
use crate::audit::report::text::failures as failures_of;
use crate::audit::report::{Report, Row, finding};

/// Maximum number of programs whose worst claim is printed in full.
const WHOLE: usize = 4;

/// Who is audited, in a title.
pub fn title(report: &Report) -> String {
    let mut names: Vec<String> = Vec::new();
    for party in report.courses.iter().map(|course| &course.party).chain(report.judgements.iter().map(|of| &of.party)) {
        let name = format!("{} {}", party.peer, party.version);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let all = match names.as_slice() {
        [] => "no package".to_string(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    };
    escaped(&format!("Audit of {all}"))
}

/// The verdict on each program, the worst first.
pub fn lead(report: &Report) -> String {
    let rows = report.summary().rows;
    let mut rows: Vec<&Row> = rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.gravely(), row.barely())));
    let mut html = String::new();
    match rows.as_slice() {
        [] => html += "<p class=\"lead\" id=\"lead\">No package was audited.</p>\n",
        [row] => {
            let _ = writeln!(html, "<p class=\"lead\" id=\"lead\">{}</p>", sentence(row));
        }
        rows => {
            let unsound = rows.iter().filter(|row| row.gravely() > 0).count();
            let _ = writeln!(
                html,
                "<p class=\"lead\" id=\"lead\">{} APIs were audited; {}.</p>\n\
                <ul class=\"leads\">",
                rows.len(),
                match unsound {
                    0 => {
                        let little = rows.iter().any(|row| row.unsound.contains_key(&Size::Negligible));
                        let or = if little { " or a probability of 1e-16" } else { "" };
                        format!("<b class=\"sound\">no claim is false by more than rounding{or}</b>")
                    }
                    1 => "<b class=\"unsound\">one of them makes false claims</b>".to_string(),
                    many => format!("<b class=\"unsound\">{many} of them make false claims</b>"),
                }
            );
            for row in rows {
                let _ = writeln!(html, "<li>{}</li>", sentence(row));
            }
            html += "</ul>\n";
        }
    }
    for row in rows.iter().filter(|row| row.gravely() > 0).take(WHOLE) {
        html += &worst_of(report, &row.party);
    }
    for row in rows.iter().filter(|row| !row.failures.is_empty()).take(WHOLE) {
        html += &failures(row);
    }
    html
}

/// The verdict on one program.
fn sentence(row: &Row) -> String {
    let name = escaped(&format!("{} {} {}", row.party.peer, row.party.version, row.party.api));
    let count = |verdict: Verdict| row.verdicts.get(&verdict).copied().unwrap_or(0);
    let (gravely, barely) = (row.gravely(), row.barely());
    let holds = count(Verdict::Sound) + count(Verdict::Loose);
    let judged = gravely + barely + holds;
    let mut text = if gravely > 0 {
        format!(
            "<b class=\"unsound\">{name} is not sound:</b> {gravely} of its {judged} claims {} false",
            if gravely == 1 { "is" } else { "are" }
        )
    } else if judged > 0 {
        format!(
            "<b class=\"sound\">{name}: no claim is false{}.</b> {holds} of {judged} claims are true",
            if barely > 0 { format!(" by more than {}", little(row)) } else { String::new() }
        )
    } else {
        format!("<b class=\"undecided\">{name}</b> made no claim that could be judged")
    };
    if gravely > 0 && barely > 0 {
        let _ = write!(text, ", and {barely} more by at most {}", little(row));
    }
    if count(Verdict::Loose) > 0 {
        let _ = write!(text, "; {} true but loose", plural(count(Verdict::Loose), "is", "are"));
    }
    if count(Verdict::Failed) > 0 {
        let _ = write!(text, "; {} no usable number", plural(count(Verdict::Failed), "answer has", "answers have"));
    }
    if count(Verdict::Undecided) > 0 {
        let _ = write!(text, "; {} undecided", plural(count(Verdict::Undecided), "is", "are"));
    }
    if count(Verdict::Unsupported) > 0 {
        let _ = write!(text, "; {} not supported", plural(count(Verdict::Unsupported), "query is", "queries are"));
    }
    text.push('.');
    if let Some(why) = &row.gave_up {
        let _ = write!(text, " <b class=\"failed\">Audit incomplete:</b> {}.", escaped(why));
    }
    text
}

/// What those false claims that do not count are off by.
fn little(row: &Row) -> &'static str {
    let there = |size: Size| row.unsound.get(&size).is_some_and(|count| *count > 0);
    match (there(Size::Rounding), there(Size::Negligible)) {
        (_, false) => "rounding",
        (false, true) => "a probability of 1e-16",
        (true, true) => "rounding or a probability of 1e-16",
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The worst claim in full, and the simplest that is false, where a hunt has made one simpler.
fn worst_of(report: &Report, party: &Party) -> String {
    let of: Vec<&Judgement> = report.judgements.iter().filter(|judgement| judgement.party == *party).collect();
    let all = worst(&of);
    let mut html = String::new();
    let simple = |judgement: &&&Judgement| judgement.id.contains("-simpler-") && judgement.is_unsound();
    let simplest = all.iter().find(simple);
    let first = all.first().filter(|first| simplest.is_none_or(|simplest| simplest.id != first.id));
    for (title, judgement) in [("Simplest false claim", simplest), ("Worst false claim", first)] {
        let Some(judgement) = judgement else { continue };
        let _ = writeln!(
            html,
            "<h2 class=\"small\">{title}</h2>\n<pre class=\"finding\">{}</pre>",
            escaped(finding(judgement).trim())
        );
    }
    html
}

/// Messages of failed answers.
fn failures(row: &Row) -> String {
    let name = escaped(&format!("{} {}", row.party.peer, row.party.api));
    let mut html = format!("<h2 class=\"small\">Failures: {name}</h2>\n<ul class=\"failures\">\n");
    for line in failures_of(row) {
        let _ = writeln!(html, "<li>{}</li>", escaped(&line));
    }
    html + "</ul>\n"
}

/// The counts as a table, for a browser without JavaScript.
pub fn counts(report: &Report) -> String {
    let headings = ["Unsound", "Negligible", "Rounding", "Failed", "Undecided", "Loose", "Sound", "Unsupported"];
    let mut html = String::from("<thead><tr><th scope=\"col\">Package</th>");
    for heading in headings {
        let _ = write!(html, "<th class=\"right\" scope=\"col\">{heading}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in report.summary().rows {
        let count = |verdict: Verdict| row.verdicts.get(&verdict).copied().unwrap_or(0);
        let name = escaped(&format!("{} {} {}", row.party.peer, row.party.version, row.party.api));
        let _ = write!(html, "<tr><th scope=\"row\">{name}</th>");
        let others = [Verdict::Failed, Verdict::Undecided, Verdict::Loose, Verdict::Sound, Verdict::Unsupported];
        let of = |size: Size| row.unsound.get(&size).copied().unwrap_or(0);
        let false_ones = [row.gravely(), of(Size::Negligible), of(Size::Rounding)];
        for number in false_ones.into_iter().chain(others.map(count)) {
            let _ = write!(html, "<td class=\"right\">{number}</td>");
        }
        html += "</tr>\n";
    }
    html + "</tbody>"
}

/// Text as it is, in markup.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            '\n' | '\t' => html.push(sign),
            sign if hides(sign) => {
                let _ = write!(html, "\\u{{{:x}}}", u32::from(sign));
            }
            sign => html.push(sign),
        }
    }
    html
}

/// Is it a sign that is not seen, or that reorders others?
fn hides(sign: char) -> bool {
    sign.is_control()
        || matches!(u32::from(sign),
            0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escaped("<a href=\"x\">'&\u{202e}\u{7}\n"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\u{202e}\\u{7}\n"
        );
        assert_eq!(escaped("plain, ε ≥ 0"), "plain, ε ≥ 0");
    }
}
