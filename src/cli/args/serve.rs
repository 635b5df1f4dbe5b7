//! The arguments of `serve`.

use clap::Args;

use super::Limits;

/// Shown below the options.
pub const EXAMPLES: &str = "Example: dpcert serve --port 8080 --timeout 20

The printed address contains a new random token and works only in browsers on this machine. The server reads and writes
no files and makes no network connections. The budget options apply to each query.";

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub struct Serve {
    /// Listen on PORT of the loopback address; 0 chooses a free port
    #[arg(long, value_name = "PORT", default_value_t = 0, allow_hyphen_values = true)]
    #[arg(value_parser = clap::value_parser!(u16))]
    pub port: u16,
    #[command(flatten)]
    pub limits: Limits,
}
