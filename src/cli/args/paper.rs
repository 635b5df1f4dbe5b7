//! The arguments of `paper`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{MOST_THREADS, integer};

/// Shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert paper list
  dpcert paper kov/figure-2
  dpcert paper dwork-rothblum --format latex
  dpcert paper all --out papers";

/// Arguments of `paper`.
#[derive(Args, Debug)]
pub struct Paper {
    /// `list`, `all`, a paper, or an item of a paper
    pub what: String,
    /// Write each item to DIR as Markdown, LaTeX, CSV, JSON, SVG and PDF, with a summary of `all`
    ///
    /// Items already finished in DIR are skipped, so an interrupted run can be resumed.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    pub out: Option<PathBuf>,
    /// Output format
    #[arg(long, default_value = "text")]
    pub format: PaperFormat,
    /// Read items PAPER/ITEM.toml from DIR [default: the built-in items]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Recompute items already finished
    #[arg(long, requires = "out")]
    pub again: bool,
    /// Skip items that take more than a few seconds
    #[arg(long)]
    pub quick: bool,
    /// Compute N items in parallel [default: one per core]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = integer(1, MOST_THREADS))]
    pub threads: Option<u32>,
}

/// Output format of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperFormat {
    /// Table for a terminal, with the differences
    Text,
    /// Markdown page
    Markdown,
    /// LaTeX tabular, using booktabs
    Latex,
    /// One number per row, with its lower and upper bound
    Csv,
    /// JSON with all data
    Json,
    /// Picture of a figure
    Svg,
}
