//! A sheet as SVG.

use std::fmt::Write;

use super::font::{Font, glyph};
use super::sheet::{Colour, Shape};

/// The text of an SVG file.
pub fn svg((width, height): (u32, u32), shapes: &[Shape], paper: Colour) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        hex(paper)
    );
    for shape in shapes {
        // Writing to a string does not fail.
        let _ = write(&mut text, shape, paper);
    }
    text + "</svg>\n"
}

fn write(out: &mut String, shape: &Shape, paper: Colour) -> std::fmt::Result {
    match shape {
        Shape::Line { points, width, colour } => writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>",
            corners(points),
            hex(*colour),
            short(*width)
        ),
        Shape::Area { points, colour } => {
            writeln!(out, "<polygon points=\"{}\" fill=\"{}\"/>", corners(points), hex(*colour))
        }
        Shape::Circle { at: (x, y), radius, border, colour } => {
            write!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" ", short(*x), short(*y), short(*radius))?;
            match border {
                Some(width) => {
                    let (inside, line) = (hex(paper), hex(*colour));
                    writeln!(out, "fill=\"{inside}\" stroke=\"{line}\" stroke-width=\"{}\"/>", short(*width))
                }
                None => writeln!(out, "fill=\"{}\"/>", hex(*colour)),
            }
        }
        Shape::Text { text, at: (x, y), size, upward, colour } => {
            let (x, y) = (short(*x), short(*y));
            write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\" ", short(*size), hex(*colour))?;
            if *upward {
                write!(out, "transform=\"rotate(-90 {x} {y})\" ")?;
            }
            writeln!(out, "font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\">{}</text>", escaped(text))
        }
    }
}

fn corners(points: &[(f64, f64)]) -> String {
    let texts: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
    texts.join(" ")
}

/// A coordinate, to hundredths.
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// What a reader of XML takes for text; characters that the PDF cannot show are not shown here either.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            _ if glyph(c).1 == b'?' && glyph(c).0 == Font::Helvetica => out.push('?'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_hundredths_and_texts_are_escaped() {
        assert_eq!(
            (short(1.005), short(-0.001), short(2.5), short(3.0)),
            ("1".into(), "0".into(), "2.5".into(), "3".into())
        );
        let text =
            Shape::Text { text: "a<b&\u{4e2d}\u{3b5}".into(), at: (1.0, 2.0), size: 9.0, upward: true, colour: [0; 3] };
        let line = Shape::Line { points: vec![(0.25, 0.5), (1.0, 2.126)], width: 1.5, colour: [1, 2, 255] };
        let drawn = svg((10, 20), &[text, line], [255; 3]);
        assert!(drawn.contains("rotate(-90 1 2)") && drawn.contains(">a&lt;b&amp;?\u{3b5}</text>"), "{drawn}");
        assert!(drawn.contains("points=\"0.25,0.5 1,2.13\"") && drawn.contains("#0102ff"), "{drawn}");
    }
}
