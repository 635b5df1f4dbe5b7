//! The arguments of `vectors` and `floats`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What is done with vectors.
#[derive(Debug, Subcommand)]
pub enum VectorsCommand {
    /// The files and how many cases they hold
    List {
        /// A folder of vector files; the ones shipped with dpcert unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Compute all vectors, confirm each by a second route, and write them with their schema
    #[command(after_help = "Example: dpcert vectors generate --out /tmp/fresh")]
    Generate {
        /// The folder that gets schema.json and data/
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Only the families or files whose name contains this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Recompute stored vectors and compare
    #[command(
        after_help = "Example: dpcert vectors verify --only kov\n         dpcert vectors verify --grid --only census"
    )]
    Verify {
        /// A folder of vector files; the ones shipped with dpcert unless given
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Only the files whose name contains this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Instead of recomputing: what contours alone confirm must lie in what a grid of few points proves
        #[arg(long)]
        grid: bool,
    },
    /// Check form and meaning of vector files, without computing anything
    Lint {
        /// Files or folders
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
}

/// Which implementations are judged, and by which vectors.
#[derive(Args, Debug)]
pub struct Floats {
    /// A folder of vector files; the ones shipped with dpcert unless given
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Only the careful or only the textbook implementations
    #[arg(long)]
    pub form: Option<FormName>,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

/// Which form of the f64 implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// Keeps a documented relative error bound
    Careful,
    /// As accountants write it
    Textbook,
}
