//! The widths of characters, in thousandths of the font's size: Adobe's metrics of Helvetica and, for Greek letters and
//! mathematical signs, of Symbol.

/// One of the two fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Everything in ASCII, and a few signs more.
    Helvetica,
    /// Greek letters, and what mathematics wants.
    Symbol,
}

/// Helvetica's characters from the blank to the tilde.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// Characters beyond ASCII: the character, its font, its code there, its width.
const OTHERS: [(char, Font, u8, u16); 16] = [
    ('\u{3b1}', Font::Symbol, b'a', 631),
    ('\u{3b2}', Font::Symbol, b'b', 549),
    ('\u{3b3}', Font::Symbol, b'g', 411),
    ('\u{3b4}', Font::Symbol, b'd', 494),
    ('\u{3b5}', Font::Symbol, b'e', 439),
    ('\u{3bb}', Font::Symbol, b'l', 549),
    ('\u{3bc}', Font::Symbol, b'm', 576),
    ('\u{3c1}', Font::Symbol, b'r', 549),
    ('\u{3c3}', Font::Symbol, b's', 603),
    ('\u{2264}', Font::Symbol, 0xa3, 549),
    ('\u{2265}', Font::Symbol, 0xb3, 549),
    ('\u{2212}', Font::Symbol, b'-', 549),
    ('\u{2297}', Font::Symbol, 0xc4, 768),
    ('\u{d7}', Font::Helvetica, 0xd7, 584),
    ('\u{e9}', Font::Helvetica, 0xe9, 556),
    ('\u{e4}', Font::Helvetica, 0xe4, 556),
];

/// The font of a character, its code in it, and its width; a question mark for one that neither font has.
pub fn glyph(c: char) -> (Font, u8, u16) {
    if let Some(other) = OTHERS.iter().find(|(other, ..)| *other == c) {
        return (other.1, other.2, other.3);
    }
    let code = u8::try_from(c).ok().filter(|code| (32..127).contains(code)).unwrap_or(b'?');
    (Font::Helvetica, code, ASCII[usize::from(code) - 32])
}

/// Does one of the fonts have this character?
pub fn has_glyph(c: char) -> bool {
    matches!(c, ' '..='~') || OTHERS.iter().any(|(other, ..)| *other == c)
}

/// The characters beyond ASCII that a picture can have.
#[cfg(test)]
pub fn others() -> impl Iterator<Item = char> {
    OTHERS.into_iter().map(|(c, ..)| c)
}

/// The width of a text at a size.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| f64::from(glyph(c).2)).sum::<f64>() * size / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_metrics() {
        // From Helvetica's metrics: W 944, i 222, one half of a digit's 556 twice.
        assert_eq!(width("Wi", 1000.0), 1166.0);
        assert_eq!(width("00", 10.0), 11.12);
        assert_eq!(glyph('\u{3b5}'), (Font::Symbol, b'e', 439));
        assert_eq!(glyph('\u{4e2d}').1, b'?');
        assert!(['\u{3b5}', '~', ' ', '?'].into_iter().all(has_glyph));
        assert!(!['\u{4e2d}', '\u{221a}', '\n'].into_iter().any(has_glyph));
        assert_eq!((glyph(' ').2, glyph('~').2, glyph('A').2, glyph('a').2), (278, 584, 667, 556));
    }
}
