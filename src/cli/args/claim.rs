//! The arguments of `claim`.

use std::path::PathBuf;

use clap::Args;

/// How it is called.
pub const EXAMPLES: &str = "Examples:
  dpcert claim list
  dpcert claim KOV-3.3
  dpcert claim Blackwell
  dpcert claim errata
  dpcert claim E-1
  dpcert claim all --out proofs";

/// Which claims.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// `list` or `errata` to list, `all` to check all; or a claim, an erratum, a statement, a subject or a paper
    #[arg(value_name = "list|errata|ID|all")]
    pub which: String,
    /// With `all`: write the ledger there, claims.md and claims.json
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}
