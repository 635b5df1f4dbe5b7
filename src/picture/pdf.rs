//! A sheet as PDF, of one page.

use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

use super::font::{Font, glyph};
use super::sheet::{Colour, Shape};

/// Distance of the control points of a quarter circle from its ends, in radii.
const QUARTER: f32 = 0.552_284_8;

/// The bytes of a PDF file.
pub fn pdf((width, height): (u32, u32), shapes: &[Shape], paper: Colour) -> Vec<u8> {
    let [catalog, pages, page, content, helvetica, symbol] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let mut file = Pdf::new();
    file.catalog(catalog).pages(pages);
    file.pages(pages).kids([page]).count(1);
    let mut one = file.page(page);
    one.media_box(Rect::new(0.0, 0.0, width as f32, height as f32)).parent(pages).contents(content);
    one.resources().fonts().pair(name(Font::Helvetica), helvetica).pair(name(Font::Symbol), symbol);
    one.finish();
    file.type1_font(helvetica).base_font(Name(b"Helvetica")).encoding_predefined(Name(b"WinAnsiEncoding"));
    file.type1_font(symbol).base_font(Name(b"Symbol"));
    let mut drawing = Content::new();
    drawing.set_line_join(LineJoinStyle::RoundJoin);
    // White is what there is.
    if paper != [255; 3] {
        let [r, g, b] = parts(paper);
        drawing.set_fill_rgb(r, g, b).rect(0.0, 0.0, width as f32, height as f32).fill_nonzero();
    }
    for shape in shapes {
        draw(&mut drawing, height as f32, shape, paper);
    }
    file.stream(content, &drawing.finish());
    file.finish()
}

fn name(font: Font) -> Name<'static> {
    match font {
        Font::Helvetica => Name(b"F1"),
        Font::Symbol => Name(b"F2"),
    }
}

/// A coordinate, to hundredths.
fn short(value: f64) -> f32 {
    ((value * 100.0).round() / 100.0) as f32
}

fn draw(out: &mut Content, height: f32, shape: &Shape, paper: Colour) {
    // In PDF, y goes up.
    let place = |(x, y): (f64, f64)| (short(x), short(f64::from(height) - y));
    match shape {
        Shape::Line { points, width, colour } => {
            let [r, g, b] = parts(*colour);
            out.set_stroke_rgb(r, g, b).set_line_width(short(*width));
            path(out, points.iter().copied().map(place));
            out.stroke();
        }
        Shape::Area { points, colour } => {
            let [r, g, b] = parts(*colour);
            out.set_fill_rgb(r, g, b);
            path(out, points.iter().copied().map(place));
            out.close_path().fill_nonzero();
        }
        Shape::Circle { at, radius, border, colour } => {
            let ((x, y), r) = (place(*at), short(*radius));
            let [red, green, blue] = parts(*colour);
            let k = QUARTER * r;
            out.move_to(x + r, y)
                .cubic_to(x + r, y + k, x + k, y + r, x, y + r)
                .cubic_to(x - k, y + r, x - r, y + k, x - r, y)
                .cubic_to(x - r, y - k, x - k, y - r, x, y - r)
                .cubic_to(x + k, y - r, x + r, y - k, x + r, y);
            match border {
                Some(width) => {
                    let [inside_red, inside_green, inside_blue] = parts(paper);
                    out.set_fill_rgb(inside_red, inside_green, inside_blue)
                        .set_stroke_rgb(red, green, blue)
                        .set_line_width(short(*width));
                    out.close_fill_nonzero_and_stroke();
                }
                None => {
                    out.set_fill_rgb(red, green, blue).close_path().fill_nonzero();
                }
            }
        }
        Shape::Text { text, at, size, upward, colour } => {
            let ((x, y), [r, g, b]) = (place(*at), parts(*colour));
            out.set_fill_rgb(r, g, b).begin_text();
            let matrix = if *upward { [0.0, 1.0, -1.0, 0.0, x, y] } else { [1.0, 0.0, 0.0, 1.0, x, y] };
            out.set_text_matrix(matrix);
            let letters: Vec<(Font, u8)> = text.chars().map(|c| (glyph(c).0, glyph(c).1)).collect();
            for run in letters.chunk_by(|a, b| a.0 == b.0) {
                let codes: Vec<u8> = run.iter().map(|letter| letter.1).collect();
                if let Some((font, _)) = run.first() {
                    out.set_font(name(*font), short(*size)).show(Str(&codes));
                }
            }
            out.end_text();
        }
    }
}

fn path(out: &mut Content, points: impl Iterator<Item = (f32, f32)>) {
    for (index, (x, y)) in points.enumerate() {
        if index == 0 {
            out.move_to(x, y);
        } else {
            out.line_to(x, y);
        }
    }
}

fn parts(colour: Colour) -> [f32; 3] {
    colour.map(|part| f32::from(part) / 255.0)
}
