//! The kinds of files that a picture can be, by the ending of their names.

use std::path::Path;

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
            _ => Err(format!("the name of a picture must end in .svg, .pdf or .png, not `{}`", path.display())),
        }
    }

    /// A chart as a file of this kind.
    ///
    /// # Errors
    /// [`Undrawn`] for axes that go nowhere.
    pub fn written(self, chart: &Chart, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        match self {
            Format::Svg => chart.svg_on(theme).map(String::into_bytes),
            Format::Pdf => chart.pdf_on(theme),
            Format::Png => chart.png_on(theme),
        }
    }
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
