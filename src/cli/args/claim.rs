//! The arguments of `claim`.

use std::path::PathBuf;

use clap::Args;

/// How it is called.
pub const EXAMPLES: &str = "Examples:
  dpcert claim list
  dpcert claim KOV-3.3
  dpcert claim all --out proofs";

/// Which claims.
#[derive(Args, Debug)]
pub struct ClaimArguments {
    /// `list` for the names of all claims, `all` to check all, or the name of one
    #[arg(value_name = "list|ID|all")]
    pub which: String,
    /// With `all`: write the ledger there, claims.md and claims.json
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}
