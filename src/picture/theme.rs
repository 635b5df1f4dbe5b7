//! Light and dark: what is drawn on white, and the same on a dark ground.
//!
//! Colours keep their hue and their saturation, and change lightness for darkness, so that what stood out on white
//! stands out on the other one.

use super::sheet::{Colour, Shape};

/// Colour theme of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Theme {
    /// White background, for print
    #[default]
    Light,
    /// Dark background, for slides
    Dark,
}

/// The lightness of the dark ground.
const GROUND: f64 = 0.09;

impl Theme {
    /// The ground.
    pub fn paper(self) -> Colour {
        self.of([255; 3])
    }

    /// What a colour on white is here.
    fn of(self, colour: Colour) -> Colour {
        match self {
            Theme::Light => colour,
            Theme::Dark => dark(colour),
        }
    }

    /// The same shape in the colours of this ground.
    pub fn shape(self, mut shape: Shape) -> Shape {
        let (Shape::Line { colour, .. }
        | Shape::Area { colour, .. }
        | Shape::Circle { colour, .. }
        | Shape::Text { colour, .. }) = &mut shape;
        *colour = self.of(*colour);
        shape
    }
}

fn dark(colour: Colour) -> Colour {
    let [r, g, b] = colour.map(|part| f64::from(part) / 255.0);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let (light, chroma) = (f64::midpoint(most, least), most - least);
    let saturation = if chroma == 0.0 { 0.0 } else { chroma / (1.0 - (2.0 * light - 1.0).abs()) };
    let light = GROUND + (1.0 - GROUND) * (1.0 - light);
    let wide = saturation * (1.0 - (2.0 * light - 1.0).abs());
    // Each part keeps its place between the least and the most of them.
    let part = |part: f64| {
        let share = if chroma == 0.0 { 0.5 } else { (part - least) / chroma };
        (255.0 * (light + (share - 0.5) * wide)).round().clamp(0.0, 255.0) as u8
    };
    [part(r), part(g), part(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_dark_and_black_is_white() {
        assert_eq!(Theme::Light.of([1, 2, 3]), [1, 2, 3]);
        assert_eq!((dark([255; 3]), dark([0; 3])), ([23; 3], [255; 3]));
        // Blue stays blue, and is lighter than it was.
        let [r, g, b] = dark([0, 114, 178]);
        assert!(b > g && g > r && b > 178, "{r} {g} {b}");
    }
}
