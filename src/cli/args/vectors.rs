//! The arguments of `vectors` and `floats`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Subcommands of `vectors`.
#[derive(Debug, Subcommand)]
pub enum VectorsCommand {
    /// List the vector files and their numbers of cases
    List {
        /// Read vector files from DIR [default: the vectors shipped with dpcert]
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Compute all vectors, confirm each by an independent computation, and write them with their schema
    #[command(after_help = "Example: dpcert vectors generate --out /tmp/fresh")]
    Generate {
        /// Write schema.json and data/ to DIR
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Generate only families or files whose name contains TEXT
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Recompute stored vectors and compare them
    #[command(
        after_help = "Examples:\n  dpcert vectors verify --only kov\n  dpcert vectors verify --grid --only census"
    )]
    Verify {
        /// Read vector files from DIR [default: the vectors shipped with dpcert]
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Verify only files whose name contains TEXT
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Check values confirmed only by contour integrals against coarse grid bounds, instead of recomputing
        #[arg(long)]
        grid: bool,
    },
    /// Check the syntax and consistency of vector files without computing anything
    Lint {
        /// Files or directories
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
}

/// Arguments of `floats`.
#[derive(Args, Debug)]
pub struct Floats {
    /// Read vector files from DIR [default: the vectors shipped with dpcert]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Check only the careful or only the textbook implementations
    #[arg(long)]
    pub form: Option<FormName>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// The form of the f64 implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// Implementation with a documented relative error bound
    Careful,
    /// Formulas as accountants usually write them
    Textbook,
}
