//! The arguments of `claim`.

use std::path::PathBuf;

use clap::Args;

/// Shown below the options.
pub const EXAMPLES: &str = "Examples:
  dpcert claim list
  dpcert claim KOV-3.3
  dpcert claim Blackwell
  dpcert claim errata
  dpcert claim E-1
  dpcert claim all --out proofs";

/// Arguments of `claim`.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// `list` or `errata` to list, `all` to check all, or a claim, erratum, statement, subject or paper
    #[arg(value_name = "list|errata|ID|all")]
    pub which: String,
    /// With `all`, write the ledger to DIR as claims.md and claims.json
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}
