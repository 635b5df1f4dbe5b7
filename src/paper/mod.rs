//! Tables and figures of papers, computed again: what was printed beside what is certified.
//!
//! An item is a file of data, `papers/PAPER/ITEM.toml`: queries, formulas of them, printed values, sources, remarks. A
//! table of another paper is one more such file. Here it is read, asked, judged and rendered.
//!
//! | file | is |
//! |---|---|
//! | `data` | the file, and what is wrong with it and in which line |
//! | `library` | all items: those inside of this program, or those of a folder |
//! | `fill` | `{name}` in a text |
//! | `source` | where a number comes from: queries and what is made of them, theorems, limits, conversions |
//! | `formula` | arithmetic of numbers that are proven |
//! | `printed`, `judge` | a printed decimal, and whether it is right to its last digit |
//! | `sample` | the points of a curve: at its knots, or as close as it bends |
//! | `evaluate` | an item, computed |
//! | `render`, `latex` | tables as text, Markdown, CSV; as LaTeX |
//! | `folder` | a folder of results: what is finished there stays; the summary of all |

mod data;
mod evaluate;
mod fill;
mod folder;
mod formula;
mod judge;
mod latex;
mod library;
mod printed;
mod render;
mod sample;
mod source;

pub use evaluate::{Evaluated, Report, evaluate, size};
pub use folder::{Folder, files, summary};
pub use latex::latex;
pub use library::{Item, Library};
pub use render::{csv, markdown, text};
pub use sample::{Point, vertices};
