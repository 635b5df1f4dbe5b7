//! A report as a LaTeX table.

use std::fmt::Write;

use super::evaluate::Report;
use super::printed::Printed;
use super::render::{Marks, grid};

/// Letters that the fonts of LaTeX's text do not have.
const SYMBOLS: [(char, &str); 35] = [
    ('\u{3b1}', "\\alpha"),
    ('\u{3b2}', "\\beta"),
    ('\u{3b3}', "\\gamma"),
    ('\u{3b4}', "\\delta"),
    ('\u{3b5}', "\\varepsilon"),
    ('\u{3b6}', "\\zeta"),
    ('\u{3b7}', "\\eta"),
    ('\u{3b8}', "\\theta"),
    ('\u{3ba}', "\\kappa"),
    ('\u{3bb}', "\\lambda"),
    ('\u{3bc}', "\\mu"),
    ('\u{3bd}', "\\nu"),
    ('\u{3be}', "\\xi"),
    ('\u{3c0}', "\\pi"),
    ('\u{3c1}', "\\rho"),
    ('\u{3c3}', "\\sigma"),
    ('\u{3c4}', "\\tau"),
    ('\u{3c6}', "\\varphi"),
    ('\u{3c7}', "\\chi"),
    ('\u{3c8}', "\\psi"),
    ('\u{3c9}', "\\omega"),
    ('\u{393}', "\\Gamma"),
    ('\u{394}', "\\Delta"),
    ('\u{3a6}', "\\Phi"),
    ('\u{3a3}', "\\Sigma"),
    ('\u{3a9}', "\\Omega"),
    ('\u{b2}', "^2"),
    ('\u{b3}', "^3"),
    ('\u{2074}', "^4"),
    ('\u{1d40}', "^{\\mathsf T}"),
    ('\u{221a}', "\\surd"),
    ('\u{2218}', "\\circ"),
    ('\u{2264}', "\\le"),
    ('\u{2265}', "\\ge"),
    ('\u{d7}', "\\times"),
];

/// Text as LaTeX takes it, after a `\\` too, which would take a bracket or a star for its own.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '\\' => out += "\\textbackslash{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '|' => out += "\\textbar{}",
            _ => match SYMBOLS.iter().find(|(symbol, _)| *symbol == c) {
                Some((_, name)) => {
                    let _ = write!(out, "\\ensuremath{{{name}}}");
                }
                None => out.push(c),
            },
        }
    }
    out
}

/// A number with a power of ten or below zero, and the mark behind it, as formulas have them.
fn number(text: &str) -> Option<String> {
    let (number, mark) = [" ?", "*", "+", ""].into_iter().find_map(|mark| Some((text.strip_suffix(mark)?, mark)))?;
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, ""));
    if Printed::parse(number).is_err() || number.ends_with('%') || (exponent.is_empty() && !number.starts_with('-')) {
        return None;
    }
    let power = if exponent.is_empty() { String::new() } else { format!(" \\times 10^{{{exponent}}}") };
    Some(format!("\\ensuremath{{{mantissa}{power}}}{}", escaped(mark)))
}

/// For a paper; needs the package booktabs.
pub fn latex(report: &Report) -> String {
    let grid = grid(report, &Marks { right: "", bound: "+", wrong: "*" });
    let columns = grid.first().map_or(0, Vec::len);
    let mut out = format!("% {}\n% {}\n", report.title, report.source);
    out += "% * marks a printed value that is wrong in its last printed digit, ? one that cannot be reproduced.\n";
    if grid.iter().flatten().any(|text| text.ends_with('+')) {
        out += "% + marks a valid bound that is not tight.\n";
    }
    let _ = writeln!(out, "\\begin{{tabular}}{{l{}}}\n\\toprule", "r".repeat(columns.saturating_sub(1)));
    for (index, line) in grid.iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|text| number(text).unwrap_or_else(|| escaped(text))).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
        if index == 0 {
            out += "\\midrule\n";
        }
    }
    out + "\\bottomrule\n\\end{tabular}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formulas() {
        for (text, written) in [
            ("3e-6", Some("\\ensuremath{3 \\times 10^{-6}}")),
            ("-2.5e-19*", Some("\\ensuremath{-2.5 \\times 10^{-19}}{*}")),
            ("1.5e2 ?", Some("\\ensuremath{1.5 \\times 10^{2}} ?")),
            ("-0.07", Some("\\ensuremath{-0.07}")),
            ("2.32", None),
            ("2.32*", None),
            ("-", None),
            ("-e", None),
            ("a 3e-6", None),
            ("1e-6%", None),
        ] {
            assert_eq!(number(text).as_deref(), written, "{text}");
        }
    }

    #[test]
    fn what_means_something_to_latex_is_escaped() {
        assert_eq!(escaped("100% of a_1 & b^2"), "100\\% of a\\_1 \\& b\\textasciicircum{}2");
        assert_eq!(escaped("[0.1] <*>"), "{[}0.1{]} \\textless{}{*}\\textgreater{}");
        assert_eq!(escaped("\u{3c3}\u{b2} = R\u{e9}nyi"), "\\ensuremath{\\sigma}\\ensuremath{^2} = R\u{e9}nyi");
    }
}
