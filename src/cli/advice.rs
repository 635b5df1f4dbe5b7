//! Suggestions for an unknown command or option.
//!
//! Suggestions are derived from the definitions of the commands and mechanisms. This file lists only the words of other
//! programs.

use clap::{Command, CommandFactory};

use super::args::Cli;
use crate::mechanism::{Entry, Mechanism, abbreviations};

/// Options of other programs, with the option of dpcert.
const OPTIONS: &[(&[&str], &str)] = &[
    (&["eps", "e"], "epsilon"),
    (&["d"], "delta"),
    (&["a", "type-i", "type-1"], "alpha"),
    (&["a", "alpha", "order-alpha", "g"], "order"),
    (&["precision", "prec", "decimals", "accuracy", "tolerance", "tol", "rtol", "atol"], "digits"),
    (&["format", "as-json", "machine", "porcelain", "output-format"], "json"),
    (&["output", "o", "file", "save", "svg", "pdf", "png", "plot"], "out"),
    (&["time", "max-time", "time-limit", "limit"], "timeout"),
    (&["memory", "mem", "max-mem", "ram"], "max-memory"),
    (&["bits", "prec-bits"], "max-bits"),
    (&["engine", "backend", "algorithm", "accountant"], "method"),
    (&["why", "trace", "debug", "details"], "explain"),
    (&["max-epsilon", "eps-max", "xmax"], "to"),
    (&["min-epsilon", "eps-min", "xmin"], "from"),
    (&["logarithmic", "logscale", "log-scale"], "log"),
    (&["dark", "dark-mode", "style"], "theme"),
    (&["bounds", "with", "beside"], "overlay"),
    (&["name", "title", "legend"], "label"),
    (&["silent"], "quiet"),
];

/// Commands of other programs and related words, with the command of dpcert.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["profile", "hockey-stick", "get-delta", "privacy-profile"], "delta"),
    (&["eps", "get-epsilon", "dp"], "epsilon"),
    (&["tradeoff", "trade-off", "fdp", "f-dp", "roc", "power"], "beta"),
    (&["sigma", "solve", "inverse", "find", "noise-multiplier"], "calibrate"),
    (&["rdp", "renyi-dp", "moments"], "renyi"),
    (&["cdp", "subgaussian", "concentration"], "concentrated"),
    (&["zcdp", "account", "accountants", "versus", "vs"], "compare"),
    (&["kl", "tv", "chi2", "max"], "divergence"),
    (&["plot", "draw", "graph", "picture", "svg"], "curve"),
    (&["attack", "mia", "membership"], "risk"),
    (&["gdp", "mu"], "fit"),
    (&["variance", "mae", "mean-absolute-error", "utility"], "noise"),
    (&["judge", "check", "verify", "test"], "audit"),
    (&["odometer", "ledger", "budget", "adaptive"], "filter"),
    (&["batch", "stream", "json"], "answer"),
    (&["mechanisms", "numbers", "points", "usage", "manual"], "help"),
    (&["completion", "complete"], "completions"),
    (&["table", "figure", "reproduce"], "paper"),
];

/// Largest number of commands named for an option of another command.
const MANY: usize = 4;

/// Error for an unknown command.
pub fn command(word: &str) -> String {
    let cli = Cli::command();
    let plain = word.to_lowercase().replace('_', "-");
    let names: Vec<&str> =
        cli.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
    let meant = listed(COMMANDS, &plain, |name| names.contains(&name)).or_else(|| nearest(&plain, &names));
    let more = "`dpcert help` lists the commands";
    match meant {
        Some(meant) => format!("unknown command `{word}`; did you mean `{meant}`? ({more})"),
        None if Entry::find(&plain).is_some() || word.contains('(') => {
            format!("`{word}` is a mechanism, not a command; use it as in dpcert epsilon '...' --delta 1e-5")
        }
        None => {
            let mechanisms = Mechanism::catalogue().iter().chain(abbreviations()).map(|entry| entry.name);
            nearest(&plain, &mechanisms.collect::<Vec<_>>()).map_or_else(
                || format!("unknown command `{word}`; {more}"),
                |meant| format!("unknown command `{word}`; did you mean the mechanism `{meant}`? ({more})"),
            )
        }
    }
}

/// Error for an unknown option of the command on this line.
pub fn option(typed: &[String], word: &str) -> String {
    let cli = Cli::command();
    let (command, path) = command_of(&cli, typed);
    let shown = word.split('=').next().unwrap_or(word);
    let name = shown.trim_start_matches('-');
    let plain = name.to_lowercase().replace('_', "-");
    let own = options(command).collect::<Vec<_>>();
    // One hyphen before a long name: clap has read its first letter.
    let short = typed.iter().find_map(|word| word.strip_prefix('-').filter(|rest| own.contains(rest)));
    if let Some(short) = short.filter(|_| !word.starts_with("--")) {
        return format!("write --{short}, with two hyphens");
    }
    if name.is_empty() {
        return format!("`{path}` takes no argument `{word}`");
    }
    let missing = format!("`{path}` has no option {shown}");
    if let Some(meant) = listed(OPTIONS, &plain, |name| own.contains(&name)).or_else(|| nearest(&plain, &own)) {
        return format!("{missing}; did you mean --{meant}?");
    }
    let mut others: Vec<&str> = Vec::new();
    for other in cli.get_subcommands() {
        if options(other).any(|option| option == plain) {
            others.push(other.get_name());
        }
    }
    if plain == "mechanism" {
        return format!("{missing}; write the mechanism without an option, as in dpcert {path} 'gaussian(sigma=1)'");
    }
    // A parameter of a mechanism.
    let entries = || Mechanism::catalogue().iter().chain(abbreviations());
    let of = |entry: &&Entry| entry.parameters.iter().any(|parameter| parameter.name == plain);
    let shows = |entry: &&Entry| of(entry) && entry.example.contains(&format!("{plain}="));
    let entry = entries().find(shows).or_else(|| entries().find(of));
    if let Some(entry) = entry.filter(|_| others.is_empty() && own.contains(&"max-bits")) {
        return format!("{missing}; {plain} is a parameter of the mechanism, as in '{}'", entry.example);
    }
    let has = own.iter().map(|option| format!("--{option}")).collect::<Vec<_>>().join(", ");
    match others.as_slice() {
        [] => format!("{missing}; its options are {has}"),
        [first @ .., _] if first.len() >= MANY => {
            let some = first.get(..MANY).unwrap_or_default().join(", ");
            format!("{missing}, an option of {some} and others; its options are {has}")
        }
        _ => format!("{missing}, an option of {}; its options are {has}", others.join(", ")),
    }
}

/// The command of a line, and its name.
fn command_of<'a>(cli: &'a Command, typed: &[String]) -> (&'a Command, String) {
    let (mut command, mut path) = (cli, String::new());
    for word in typed {
        if let Some(inner) = command.find_subcommand(word) {
            path = format!("{path} {}", inner.get_name());
            command = inner;
        }
    }
    (command, if path.is_empty() { "dpcert".into() } else { path.trim_start().into() })
}

/// The long names of a command's options.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long)
}

/// The meaning of a listed word, among the names that exist here.
fn listed(
    list: &[(&[&str], &'static str)],
    word: &str,
    is_here: impl Fn(&'static str) -> bool,
) -> Option<&'static str> {
    let mut meant = list.iter().filter(|(words, _)| words.contains(&word)).map(|(_, meant)| *meant);
    meant.find(|meant| is_here(meant))
}

/// The name nearest to a misspelt word, if one is near enough.
fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let distance = |name: &str| strsim::damerau_levenshtein(word, name);
    let near = names.iter().copied().min_by_key(|name| distance(name))?;
    let begins = word.len() >= 3 && near.starts_with(word);
    if begins || distance(near) <= near.len().div_ceil(4).min(2) {
        return Some(near);
    }
    names.iter().copied().find(|name| word.len() >= 3 && name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    /// Every listed word leads to an existing command or option.
    #[test]
    fn advice_can_be_followed() {
        let cli = Cli::command();
        for (words, meant) in COMMANDS {
            assert!(cli.find_subcommand(meant).is_some(), "{meant}");
            for word in *words {
                assert!(cli.find_subcommand(word).is_none() || *word == "numbers", "{word} is a command");
                assert!(command(word).contains(&format!("did you mean `{meant}`?")), "{word}");
            }
        }
        for (_, meant) in OPTIONS {
            let known = cli.get_subcommands().any(|command| options(command).any(|option| option == *meant));
            assert!(known || ["quiet"].contains(meant), "--{meant}");
        }
    }

    #[test]
    fn suggests_the_nearest_mechanism_for_unknown_commands() {
        for (word, meant) in [("gausian", "gaussian"), ("Lapalce", "laplace"), ("approx_d", "approx-dp")] {
            assert!(command(word).contains(&format!("did you mean the mechanism `{meant}`?")), "{word}");
        }
        assert_eq!(command("frobnicate"), "unknown command `frobnicate`; `dpcert help` lists the commands");
    }

    #[test]
    fn suggests_a_replacement_for_unknown_options() {
        for (line, word, told) in [
            ("delta gdp(mu=1) --eps 1", "--eps", "`delta` has no option --eps; did you mean --epsilon?"),
            ("delta gdp(mu=1) -epsilon 1", "-e", "write --epsilon, with two hyphens"),
            ("delta gdp(mu=1) -x 1", "-x", "`delta` has no option -x; its options are --"),
            ("epsilon gdp(mu=1) -d=1", "-d", "`epsilon` has no option -d; did you mean --delta?"),
            ("answer -", "-", "`answer` takes no argument `-`"),
            ("delta gdp(mu=1) --epsilno 1", "--epsilno", "did you mean --epsilon?"),
            ("delta x --precision 30", "--precision", "did you mean --digits?"),
            ("epsilon x --sigma 1", "--sigma", "sigma is a parameter of the mechanism, as in 'gaussian(sigma=2)^10'"),
            ("epsilon x --p 1/2", "--p", "p is a parameter of the mechanism, as in 'finite(p="),
            ("epsilon x --sigma2 4", "--sigma2", "sigma2 is a parameter of the mechanism, as in 'discrete-gaussian("),
            ("delta x --alpha 0.1", "--alpha", "an option of beta, calibrate"),
            ("census levels x --bogus", "--bogus", "`census levels` has no option --bogus; its options are --"),
        ] {
            let advice = option(&words(line), word);
            assert!(advice.contains(told), "{line}: {advice}");
        }
    }
}
