//! What plotters draws on: a sheet of hundredths of a point that keeps every shape.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontTransform,
};

use super::font;

/// Pixels of plotters per point.
pub const FINE: u32 = 100;

/// A colour on white.
pub type Colour = [u8; 3];

/// One thing on the sheet, in points, `y` downward.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line through these.
    Line {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// How wide it is.
        width: f64,
        /// Of which colour.
        colour: Colour,
    },
    /// What these enclose.
    Area {
        /// The corners.
        points: Vec<(f64, f64)>,
        /// Of which colour.
        colour: Colour,
    },
    /// A disc, or its border.
    Circle {
        /// Its centre.
        at: (f64, f64),
        /// Its radius.
        radius: f64,
        /// Nothing where it is filled.
        border: Option<f64>,
        /// Of which colour.
        colour: Colour,
    },
    /// A text; its line begins here and runs to the right, or upward.
    Text {
        /// The text.
        text: String,
        /// The left end of its base line.
        at: (f64, f64),
        /// The size of its letters.
        size: f64,
        /// Does it run upward?
        upward: bool,
        /// Of which colour.
        colour: Colour,
    },
}

/// The sheet.
pub struct Sheet<'a> {
    /// Width and height in points.
    size: (u32, u32),
    shapes: &'a mut Vec<Shape>,
}

impl<'a> Sheet<'a> {
    /// An empty sheet of this size, in points.
    pub fn new(size: (u32, u32), shapes: &'a mut Vec<Shape>) -> Self {
        Sheet { size, shapes }
    }
}

/// Points of plotters' pixels.
fn points(pixels: f64) -> f64 {
    pixels / f64::from(FINE)
}

fn place((x, y): BackendCoord) -> (f64, f64) {
    (points(f64::from(x)), points(f64::from(y)))
}

/// Nothing is drawn over anything that should be seen through it, so a colour is mixed with white at once.
fn colour(colour: BackendColor) -> Colour {
    let (r, g, b) = colour.rgb;
    [r, g, b].map(|part| (255.0 - (255.0 - f64::from(part)) * colour.alpha.clamp(0.0, 1.0)).round() as u8)
}

/// How high capitals and digits are, as a share of the size.
const CAPITAL: f64 = 0.72;

/// How high a line of text is, with what is below and above the letters.
const LINE: f64 = 1.3;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Sheet<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.size.0 * FINE, self.size.1 * FINE)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Drawn {
        let (x, y) = place(at);
        let side = points(1.0);
        let corners = vec![(x, y), (x + side, y), (x + side, y + side), (x, y + side)];
        self.shapes.push(Shape::Area { points: corners, colour: colour(color) });
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        let corners = [from, (to.0, from.1), to, (from.0, to.1)];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners.into_iter().chain([from]), style) }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let color = style.color();
        if color.alpha > 0.0 {
            let width = points(f64::from(style.stroke_width()));
            let points = path.into_iter().map(place).collect();
            self.shapes.push(Shape::Line { points, width, colour: colour(color) });
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        let border = (!fill).then(|| points(f64::from(style.stroke_width())));
        let (at, radius) = (place(at), points(f64::from(radius)));
        self.shapes.push(Shape::Circle { at, radius, border, colour: colour(style.color()) });
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        if style.color().alpha > 0.0 {
            let points = corners.into_iter().map(place).collect();
            self.shapes.push(Shape::Area { points, colour: colour(style.color()) });
        }
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let size = points(style.size());
        let (along, below) = (font::width(text, size), CAPITAL * size);
        let along = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -along / 2.0,
            HPos::Right => -along,
        };
        // From the anchor to the base line.
        let below = match style.anchor().v_pos {
            VPos::Top => below,
            VPos::Center => below / 2.0,
            VPos::Bottom => 0.0,
        };
        let upward = matches!(style.transform(), FontTransform::Rotate270);
        let ((x, y), (dx, dy)) = (place(at), if upward { (below, -along) } else { (along, below) });
        let (at, colour) = ((x + dx, y + dy), colour(style.color()));
        self.shapes.push(Shape::Text { text: text.to_string(), at, size, upward, colour });
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let width = font::width(text, style.size());
        Ok((width.ceil() as u32, (LINE * style.size()).ceil() as u32))
    }
}
