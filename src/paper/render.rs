//! A report as text, Markdown and CSV.
//!
//! Beside the certified number stands the printed one and what comes of it; below the table each disagreement says by
//! how much, on which side, and what it may come from.

use std::fmt::Write;

use super::evaluate::{Cell, Report};
use super::judge::{Cut, Difference, Verdict};
use super::sample::Point;
use crate::table::field;
use enclosure::decimal::{Side, decimal};

/// The verdict on a printed bound that holds, and is not the certified number to its last digit.
const NOT_TIGHT: &str = "valid bound, not tight";

/// The marks behind a printed value.
pub struct Marks<'a> {
    /// The certified number rounds to it.
    pub right: &'a str,
    /// It is a valid bound, not tight.
    pub bound: &'a str,
    /// It is neither.
    pub wrong: &'a str,
}

/// Text of the verdict on a cell with a printed value.
fn mark(cell: &Cell) -> &'static str {
    match &cell.verdict {
        Some(Verdict::Right) => "right",
        Some(Verdict::RightUnsafe) => "right, rounded to the unsafe side",
        Some(Verdict::Wrong(Difference { safe: Some(true), .. })) => NOT_TIGHT,
        Some(Verdict::Wrong(Difference { safe: Some(false), .. })) => "wrong, not on the safe side",
        Some(Verdict::Wrong(_)) => "wrong",
        None if cell.not_reproducible.is_some() => "not reproducible",
        None => "not judged",
    }
}

/// The number of a cell.
fn number(cell: &Cell) -> &str {
    if cell.undefined.is_some() { "-" } else { &cell.value }
}

/// Does any row print something in this column?
fn is_printed(report: &Report, column: usize) -> bool {
    report.lines.iter().any(|row| row.cells.get(column).is_some_and(|cell| cell.printed.is_some()))
}

/// Header and rows: for each column its numbers, and beside them the printed ones where there are any.
pub fn grid(report: &Report, marks: &Marks) -> Vec<Vec<String>> {
    let Marks { right, bound, wrong } = marks;
    let mut header = vec![report.rows.clone()];
    for (index, (_, label)) in report.columns.iter().enumerate() {
        header.push(label.clone());
        if is_printed(report, index) {
            header.push("printed".to_string());
        }
    }
    let mut grid = vec![header];
    for row in &report.lines {
        let mut line = vec![row.name.clone()];
        for (index, cell) in row.cells.iter().enumerate() {
            line.push(number(cell).to_string());
            if is_printed(report, index) {
                line.push(match &cell.printed {
                    None => String::new(),
                    Some(printed) => match &cell.verdict {
                        Some(Verdict::Right | Verdict::RightUnsafe) => format!("{printed}{right}"),
                        Some(Verdict::Wrong(Difference { safe: Some(true), .. })) => format!("{printed}{bound}"),
                        Some(Verdict::Wrong(_)) => format!("{printed}{wrong}"),
                        None => format!("{printed} ?"),
                    },
                });
            }
        }
        grid.push(line);
    }
    grid
}

/// Differences and remarks of single cells, as sentences.
pub fn findings(report: &Report) -> Vec<String> {
    let mut findings: Vec<String> =
        report.not_reproducible.iter().map(|why| format!("Not reproducible: {why}")).collect();
    for row in &report.lines {
        for (cell, (_, label)) in row.cells.iter().zip(&report.columns) {
            let place = if report.columns.len() > 1 { format!("{}, {label}", row.name) } else { row.name.clone() };
            let remark = cell.remark.as_ref().map_or(String::new(), |remark| format!(" {remark}"));
            match (&cell.verdict, &cell.printed) {
                (Some(Verdict::Wrong(difference)), Some(printed)) => {
                    // A remark knows better how the print came about than what it happens to agree with.
                    let cut = difference.cut.filter(|_| cell.remark.is_none());
                    let difference = Difference { cut, ..difference.clone() };
                    findings.push(format!("{place}: {}{remark}", difference_text(&difference, printed, &cell.value)));
                }
                (_, Some(printed)) if cell.not_reproducible.is_some() => {
                    let why = cell.not_reproducible.as_deref().unwrap_or_default();
                    findings.push(format!("{place}: printed {printed}, not reproducible: {why}{remark}"));
                }
                _ => {
                    if let Some(reason) = &cell.undefined {
                        findings.push(format!("{place}: undefined, {reason}.{remark}"));
                    } else if let Some(remark) = &cell.remark {
                        findings.push(format!("{place}: {remark}"));
                    }
                }
            }
        }
    }
    findings
}

fn difference_text(difference: &Difference, printed: &str, value: &str) -> String {
    let Difference { by, units, relative, above, safe, cut } = difference;
    let relative = relative.as_ref().map_or(String::new(), |share| format!(", {share} of the true value"));
    let direction = if *above { "above" } else { "below" };
    let cut = match cut {
        Some(Cut::Down) => " It is the true value truncated instead of rounded.",
        Some(Cut::Up) => " It is the true value rounded up instead of to nearest.",
        None => "",
    };
    let safe = match safe {
        Some(true) => " It is a valid bound, not tight.",
        Some(false) => " It is not a valid bound.",
        None => "",
    };
    let by = by.trim_start_matches('-');
    let how = format!("{direction} by {by}{relative}, {units} units in its last place");
    format!("printed {printed}, certified {value}: {how}.{cut}{safe}")
}

/// For a terminal.
pub fn text(report: &Report) -> String {
    let mut out = format!("{}\n{}\n", report.title, report.source);
    if !report.about.trim().is_empty() {
        out += &format!("\n{}\n", report.about.trim());
    }
    if report.figure && report.lines.is_empty() {
        out += "\nThis item is a picture: --format svg prints it, --out writes SVG and PDF.\n";
    }
    if !report.lines.is_empty() {
        let grid = grid(report, &Marks { right: " right", bound: " valid bound, not tight", wrong: " WRONG" });
        let columns = grid.first().map_or(0, Vec::len);
        let width = |column: usize| {
            grid.iter().filter_map(|line| line.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        out.push('\n');
        for line in &grid {
            let cells: Vec<String> = line.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}")).collect();
            out += cells.join("  ").trim_end();
            out.push('\n');
        }
    }
    let findings = findings(report);
    if !findings.is_empty() {
        out.push('\n');
    }
    for finding in findings {
        out += &format!("* {finding}\n");
    }
    out
}

/// For a page.
pub fn markdown(report: &Report) -> String {
    let name = report.id.rsplit('/').next().unwrap_or_default();
    let mut out = format!("# {}\n\n{}\n", report.title, report.source);
    if !report.about.trim().is_empty() {
        out += &format!("\n{}\n", report.about.trim());
    }
    if report.figure {
        out += &format!(
            "\n![{}]({name}.svg)\n\n[SVG]({name}.svg), [PDF]({name}.pdf), [points with both ends]({name}.curves.csv)\n",
            report.title
        );
    }
    if !report.lines.is_empty() {
        out.push('\n');
        let escaped = |text: &String| text.replace('|', "\\|");
        let marks = Marks { right: " \u{2713}", bound: " (valid bound, not tight)", wrong: " \u{2717}" };
        for (index, line) in grid(report, &marks).iter().enumerate() {
            out += &format!("| {} |\n", line.iter().map(escaped).collect::<Vec<_>>().join(" | "));
            if index == 0 {
                out += &format!("|---{}|\n", "|---:".repeat(line.len() - 1));
            }
        }
        out += &format!("\n[LaTeX]({name}.tex), [CSV with both ends]({name}.csv), [data]({name}.toml)\n");
    }
    let findings = findings(report);
    if !findings.is_empty() {
        out += "\n## Remarks\n\n";
    }
    for finding in findings {
        out += &format!("* {finding}\n");
    }
    out
}

/// One number a row, with both ends.
pub fn csv(report: &Report) -> String {
    let mut out = "row,column,lower,upper,printed,verdict\n".to_string();
    for row in &report.lines {
        for (cell, (name, _)) in row.cells.iter().zip(&report.columns) {
            let (lower, upper) = (cell.lower.as_deref(), cell.upper.as_deref());
            let end = if cell.undefined.is_some() { "undefined" } else { &cell.value };
            let verdict = cell.printed.as_ref().map_or("", |_| mark(cell));
            let fields = [
                row.name.as_str(),
                name,
                lower.unwrap_or(end),
                upper.unwrap_or(end),
                cell.printed.as_deref().unwrap_or(""),
                verdict,
            ];
            out += &fields.map(field).join(",");
            out.push('\n');
        }
    }
    out
}

/// The points of the curves, with both ends.
pub fn curves(curves: &[(String, Vec<Point>)], digits: u32) -> String {
    let mut out = "curve,x_lower,x_upper,y_lower,y_upper\n".to_string();
    for (label, points) in curves {
        for Point { x, y } in points {
            let ends = [(x, Side::Lower), (x, Side::Upper), (y, Side::Lower), (y, Side::Upper)];
            let ends = ends.map(|(number, side)| decimal(number, digits + 1, side));
            let _ = writeln!(out, "{},{}", field(label), ends.join(","));
        }
    }
    out
}
