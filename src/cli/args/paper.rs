//! The arguments of `paper`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{MOST_THREADS, integer};

/// What is shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert paper list
  dpcert paper kov/figure-2
  dpcert paper dwork-rothblum --format latex
  dpcert paper all --out papers";

/// Which items, and how.
#[derive(Args, Debug)]
pub struct Paper {
    /// `list`, `all`, a paper, or one of its items
    pub what: String,
    /// Write each item as Markdown, LaTeX, CSV, JSON, SVG and PDF below this folder, and a summary of `all`
    ///
    /// Items that are finished there are left as they are, so that an interrupted run goes on.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    pub out: Option<PathBuf>,
    /// How it is printed
    #[arg(long, default_value = "text")]
    pub format: PaperFormat,
    /// A folder of files PAPER/ITEM.toml; those inside of this program unless given
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Compute finished items again
    #[arg(long, requires = "out")]
    pub again: bool,
    /// Leave out items that take more than some seconds
    #[arg(long)]
    pub quick: bool,
    /// How many items at a time; one for each core unless given
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
    pub threads: Option<u32>,
}

/// How an item of a paper is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperFormat {
    /// A table for a terminal, and what differs
    Text,
    /// A page
    Markdown,
    /// A tabular with booktabs
    Latex,
    /// One number a row, with both ends
    Csv,
    /// Everything, as JSON
    Json,
    /// The picture of a figure
    Svg,
}
