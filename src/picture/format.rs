//! The kinds of files that a picture can be, by the ending of their names.

use std::path::Path;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::chart::{Chart, Undrawn};
use super::theme::Theme;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and letters for browsers.
    Svg,
    /// The same for print.
    Pdf,
    /// Pixels.
    Png,
}

/// So many pixels of a PNG are a point, along each side.
const PIXELS: f32 = 3.0;

impl Format {
    /// By the ending of a name; standard output gets SVG.
    ///
    /// # Errors
    /// What is wrong with another ending.
    pub fn of(path: &Path) -> Result<Self, String> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("pdf") => Ok(Format::Pdf),
            Some("png") => Ok(Format::Png),
            None if path.as_os_str() == "-" => Ok(Format::Svg),
            _ => Err(format!("a picture ends in .svg, .pdf or .png, and `{}` does not", path.display())),
        }
    }

    /// A chart as a file of this kind.
    ///
    /// # Errors
    /// [`Undrawn`] for axes that go nowhere, and for pixels where there is no font to write with.
    pub fn written(self, chart: &Chart, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        match self {
            Format::Svg => chart.svg_on(theme).map(String::into_bytes),
            Format::Pdf => chart.pdf_on(theme),
            Format::Png => pixels(&chart.svg_on(theme)?),
        }
    }
}

/// Pixels, written with the fonts of this machine: those of SVG, the first that is there.
fn pixels(svg: &str) -> Result<Vec<u8>, Undrawn> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let any = fonts.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone()));
    let Some(any) = any else {
        return Err(Undrawn::new("there is no font on this machine for a PNG; .svg and .pdf need none"));
    };
    let has = |name: &str| fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name));
    let known = ["Liberation Sans", "DejaVu Sans", "Arial", "Helvetica"].into_iter().find(|name| has(name));
    let chosen = known.map_or(any, str::to_string);
    fonts.set_sans_serif_family(chosen);
    let told = |error: &dyn std::fmt::Display| Undrawn::new(error.to_string());
    let tree = Tree::from_str(svg, &options).map_err(|error| told(&error))?;
    let side = |points: f32| (points * PIXELS).ceil() as u32;
    let size = tree.size();
    let Some(mut map) = Pixmap::new(side(size.width()), side(size.height())) else {
        return Err(Undrawn::new("the picture has no size"));
    };
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut map.as_mut());
    map.encode_png().map_err(|error| told(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_kinds() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(
            ["a.svg", "a.b.PDF", "x/y.png", "-"].map(of),
            [Ok(Format::Svg), Ok(Format::Pdf), Ok(Format::Png), Ok(Format::Svg)]
        );
        for name in ["picture", "a.jpg", ".svg", "a.svg.gz"] {
            assert!(of(name).is_err_and(|error| error.contains(".svg, .pdf or .png")), "{name}");
        }
    }
}
