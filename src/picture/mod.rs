//! Charts as pictures: SVG, PDF and PNG from one drawing.
//!
//! plotters lays out axes, labels and legends, and knows whole pixels only. It draws here on a sheet whose pixels are
//! hundredths of a point, so that what is seen has no steps; the sheet keeps what was drawn, and is written as either
//! format. Text is in Helvetica, which every reader of PDF brings along, with Greek letters and a few signs from
//! Symbol; all formats place it by the same widths, and PNG draws letters of a font of its own.
//!
//! | file | is |
//! |---|---|
//! | `chart` | what is drawn: axes, curves, marks |
//! | `axis` | where the ticks are, and what they are called |
//! | `clip` | what is inside of the axes |
//! | `sheet` | the backend that plotters draws on |
//! | `svg`, `pdf`, `png` | the sheet as a file |
//! | `theme`, `format` | light and dark; the kinds of files |
//! | `font`, `letters` | the widths of characters; their shapes, for pixels |

mod axis;
mod chart;
mod clip;
mod font;
mod format;
mod letters;
mod pdf;
mod png;
mod sheet;
mod svg;
mod theme;

pub use axis::Axis;
pub use chart::{Chart, Place, Series, Style, Undrawn};
pub use font::has_glyph;
pub use format::Format;
pub use theme::Theme;
