//! The shapes of letters, for pixels: a subset of Arimo (SIL Open Font License 1.1, in `OFL.txt` beside it), whose
//! letters have the widths of Helvetica's. It holds what [`super::font`] knows, so that a picture of pixels needs no
//! font of the machine.

use tiny_skia::{PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::font;

/// Made from Arimo 1.33 by fontTools' subsetter, without hints.
const FONT: &[u8] = include_bytes!("arimo-subset.ttf");

/// Circled times, which the font lacks: a ring around its cross.
const CIRCLED: char = '\u{2297}';

/// The font, read.
pub struct Letters {
    face: Face<'static>,
}

/// The outline of a letter as the font has it, in its units, `y` upward.
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

impl Letters {
    /// Nothing where the font cannot be read, which a test shows that it can.
    pub fn new() -> Option<Self> {
        Face::parse(FONT, 0).ok().map(|face| Letters { face })
    }

    /// The outline of a letter of size 1 at the origin, `y` downward; nothing for a blank. What the font has not is a
    /// question mark.
    pub fn outline(&self, c: char) -> Option<tiny_skia::Path> {
        if c == CIRCLED {
            return self.circled();
        }
        let glyph = self.face.glyph_index(c).or_else(|| self.face.glyph_index('?'))?;
        // Greek letters are placed by the widths of Symbol's, which are narrower here and there.
        let own = f32::from(self.face.glyph_hor_advance(glyph)?) / f32::from(self.face.units_per_em());
        let given = f32::from(font::glyph(c).2) / 1000.0;
        self.placed(glyph, Transform::from_scale((given / own).min(1.0), 1.0))
    }

    fn placed(&self, glyph: GlyphId, then: Transform) -> Option<tiny_skia::Path> {
        let mut outline = Outline(PathBuilder::new());
        self.face.outline_glyph(glyph, &mut outline)?;
        let unit = 1.0 / f32::from(self.face.units_per_em());
        outline.0.finish()?.transform(Transform::from_scale(unit, -unit).post_concat(then))
    }

    /// The cross, 0.584 of the size wide and around a height of 0.35, in a ring: outer circle one way round, inner
    /// circle the other.
    fn circled(&self) -> Option<tiny_skia::Path> {
        const CENTRE: (f32, f32) = (0.384, -0.35);
        let cross = self.placed(self.face.glyph_index('\u{d7}')?, Transform::from_translate(CENTRE.0 - 0.292, 0.0))?;
        let ring = PathBuilder::from_circle(CENTRE.0, CENTRE.1, 0.35)?;
        let hole = PathBuilder::from_circle(CENTRE.0, CENTRE.1, 0.29)?;
        // A mirror turns the way round, so that the hole is one by the rule of windings.
        let hole = hole.transform(Transform::from_scale(-1.0, 1.0).post_translate(2.0 * CENTRE.0, 0.0))?;
        let mut whole = PathBuilder::new();
        for part in [cross, ring, hole] {
            whole.push_path(&part);
        }
        whole.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_a_picture_can_have_is_in_the_font_and_as_wide_as_it_is_placed() {
        let letters = Letters::new().expect("the font can be read");
        let question = letters.outline('?').unwrap();
        let all = (' '..='~').chain(font::others());
        for c in all {
            let outline = letters.outline(c);
            assert_eq!(outline.is_none(), c == ' ', "{c:?}");
            let Some(outline) = outline else { continue };
            assert!(c == '?' || outline != question, "{c:?}");
            let (bounds, width) = (outline.bounds(), font::glyph(c).2 as f32 / 1000.0);
            // Letters lean a little over what is theirs, and no more.
            assert!(bounds.left() > -0.05 && bounds.right() < width + 0.05, "{c:?}: {bounds:?} in {width}");
            assert!(bounds.top() > -1.0 && bounds.bottom() < 0.25, "{c:?}: {bounds:?}");
        }
    }
}
