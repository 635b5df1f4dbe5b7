//! The arguments of `serve`.

use clap::Args;

use super::Limits;

/// What is shown below the options.
pub const EXAMPLES: &str = "Example: dpcert serve --port 8080 --timeout 20

The address that is printed has a token of its own each time, and works in browsers of this machine only. Nothing is
written, no file is read, and nothing leaves the machine. The limits are those of each question.";

/// Where the page is, and what a question may cost.
#[derive(Args, Debug)]
pub struct Serve {
    /// A port of the loopback address; any that is free unless given
    #[arg(long, value_name = "PORT", default_value_t = 0, allow_hyphen_values = true)]
    #[arg(value_parser = clap::value_parser!(u16))]
    pub port: u16,
    #[command(flatten)]
    pub limits: Limits,
}
