//! A sheet as pixels.

use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

use super::font;
use super::letters::Letters;
use super::sheet::{Colour, Shape};

/// Pixels per point.
const PIXELS: f32 = 3.0;

/// The bytes of a PNG file, or why there are none.
pub fn png((width, height): (u32, u32), shapes: &[Shape], paper: Colour) -> Result<Vec<u8>, String> {
    let side = |points: u32| (points as f32 * PIXELS).ceil() as u32;
    let mut map = Pixmap::new(side(width), side(height)).ok_or("the picture has size 0")?;
    let [r, g, b] = paper;
    map.fill(Color::from_rgba8(r, g, b, 255));
    let letters = Letters::new().ok_or("cannot read the font")?;
    for shape in shapes {
        draw(&mut map, &letters, shape, paper);
    }
    map.encode_png().map_err(|error| error.to_string())
}

/// A shape that encloses nothing leaves no pixel.
fn draw(map: &mut Pixmap, letters: &Letters, shape: &Shape, paper: Colour) {
    let onto = Transform::from_scale(PIXELS, PIXELS);
    match shape {
        Shape::Line { points, width, colour } => stroke(map, path(points, false), *width, *colour),
        Shape::Area { points, colour } => fill(map, path(points, true), *colour, onto),
        Shape::Circle { at: (x, y), radius, border, colour } => {
            let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
            match border {
                Some(width) => {
                    fill(map, circle.clone(), paper, onto);
                    stroke(map, circle, *width, *colour);
                }
                None => fill(map, circle, *colour, onto),
            }
        }
        Shape::Text { text, at: (x, y), size, upward, colour } => {
            let turn = if *upward { Transform::from_rotate(-90.0) } else { Transform::identity() };
            let line = turn.post_translate(*x as f32, *y as f32).post_concat(onto);
            let mut along = 0.0;
            for c in text.chars() {
                let size = *size as f32;
                let letter = Transform::from_scale(size, size).post_translate(along, 0.0);
                fill(map, letters.outline(c), *colour, letter.post_concat(line));
                along += f32::from(font::glyph(c).2) / 1000.0 * size;
            }
        }
    }
}

fn path(points: &[(f64, f64)], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn paint([r, g, b]: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn fill(map: &mut Pixmap, path: Option<Path>, colour: Colour, onto: Transform) {
    if let Some(path) = path {
        map.fill_path(&path, &paint(colour), FillRule::Winding, onto, None);
    }
}

fn stroke(map: &mut Pixmap, path: Option<Path>, width: f64, colour: Colour) {
    if let Some(path) = path {
        let stroke = Stroke { width: width as f32, line_join: LineJoin::Round, ..Stroke::default() };
        map.stroke_path(&path, &paint(colour), &stroke, Transform::from_scale(PIXELS, PIXELS), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colour of a pixel of a sheet of ten by ten points.
    fn pixel(shape: Shape, (x, y): (u32, u32)) -> Colour {
        let map = Pixmap::decode_png(&png((10, 10), &[shape], [255; 3]).unwrap()).unwrap();
        assert_eq!((map.width(), map.height()), (30, 30));
        let pixel = map.pixel(x, y).unwrap().demultiply();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn shapes_are_where_they_are_said_to_be() {
        let (white, red) = ([255; 3], [255, 0, 0]);
        let line = || Shape::Line { points: vec![(0.0, 5.0), (10.0, 5.0)], width: 2.0, colour: red };
        assert_eq!([14, 15, 11, 18].map(|y| pixel(line(), (7, y))), [red, red, white, white]);
        let area = || Shape::Area { points: vec![(0.0, 0.0), (5.0, 0.0), (5.0, 5.0), (0.0, 5.0)], colour: red };
        assert_eq!([(14, 14), (15, 14), (14, 15)].map(|at| pixel(area(), at)), [red, white, white]);
        let ring = || Shape::Circle { at: (5.0, 5.0), radius: 4.0, border: Some(1.0), colour: red };
        assert_eq!([(15, 15), (27, 15), (29, 15)].map(|at| pixel(ring(), at)), [white, red, white]);
        let disc = || Shape::Circle { at: (5.0, 5.0), radius: 4.0, border: None, colour: red };
        assert_eq!(pixel(disc(), (15, 15)), red);
        // Nothing is drawn of what has no extent.
        assert_eq!(pixel(Shape::Line { points: vec![], width: 1.0, colour: red }, (15, 15)), white);
    }

    #[test]
    fn text_runs_to_the_right_or_upward_from_its_base_line() {
        let text = |upward, at| Shape::Text { text: "|".into(), at, size: 10.0, upward, colour: [0; 3] };
        // The bar of Helvetica is 2.6 points wide and goes up 7.3 points and down 2.1 from its line.
        let dark = |shape, at| pixel(shape, at)[0] < 128;
        assert!(dark(text(false, (2.0, 8.0)), (10, 12)) && !dark(text(false, (2.0, 8.0)), (19, 12)));
        assert!(dark(text(true, (8.0, 7.0)), (12, 17)) && !dark(text(true, (8.0, 7.0)), (12, 26)));
    }
}
