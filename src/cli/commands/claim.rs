//! `claim`: list, one, all.

use std::path::Path;

use super::super::args::ClaimArguments;
use super::super::card::Card;
use super::super::failure::{Failure, Status};
use super::super::progress;
use super::{say, say_json, theorem};
use crate::claim::{self, Claim, Entry};
use crate::published::statements::{Erratum, Index};
use crate::write::{check_writable, write_file};

/// `dpcert claim`.
pub fn run(arguments: &ClaimArguments) -> Result<Status, Failure> {
    let which = arguments.which.as_str();
    if which != "all" && arguments.out.is_some() {
        return Err(Failure::input(format!(
            "--out writes the ledger of all claims; use `dpcert claim all --out DIR`, not `{which}`"
        )));
    }
    match which {
        "list" => list(arguments.json),
        "errata" => errata(arguments.json),
        "all" => all(arguments),
        id => one(id, arguments.json),
    }
}

fn list(json: bool) -> Result<Status, Failure> {
    let claims = claim::all();
    for claim in &claims {
        if json {
            say_json(&claim::Listed::new(claim))?;
        } else {
            say(&format!("{} ({})\n    {}", claim.id, claim.place, claim.says))?;
        }
    }
    if !json {
        say(&format!("{} claims; `dpcert claim errata` lists the errors in the papers", claims.len()))?;
    }
    Ok(Status::Fine)
}

fn one(id: &str, json: bool) -> Result<Status, Failure> {
    let claims = claim::all();
    if let Some(unchecked) = claim::UNCHECKED.iter().find(|one| one.id.eq_ignore_ascii_case(id)) {
        if json {
            say_json(unchecked)?;
        } else {
            say(&unchecked.lines())?;
        }
        return Ok(Status::Fine);
    }
    let about: Vec<&'static Claim> = claim::erratum(id);
    if !about.is_empty() {
        return checked(&about, json);
    }
    let Some(claim) = claims.iter().find(|claim| claim.id.eq_ignore_ascii_case(id)) else {
        if let Some(card) = Card::find(id)? {
            return of_card(&card, json);
        }
        let hint = near(&claims, id).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(Failure::input(format!("unknown claim `{id}`{hint} (`dpcert claim list` lists all claims)")));
    };
    let entry = Entry::new(claim, claim.verdict()?);
    if json {
        say_json(&entry)?;
    } else {
        say(&entry.lines())?;
    }
    Ok(status(&[entry]))
}

/// All errata, with a sentence each.
fn errata(json: bool) -> Result<Status, Failure> {
    for Erratum { name, says } in &Index::embedded()?.errata {
        if json {
            say_json(&serde_json::json!({ "erratum": name, "says": says }))?;
        } else {
            say(&format!("{name:5} {says}"))?;
        }
    }
    Ok(Status::Fine)
}

/// The claims about one statement, checked; of several statements, what they say.
fn of_card(card: &Card, json: bool) -> Result<Status, Failure> {
    let ids = card.claims();
    let about: Vec<&'static Claim> = claim::all().into_iter().filter(|claim| ids.contains(&claim.id)).collect();
    if card.lines().count() == 1 && !about.is_empty() {
        return checked(&about, json);
    }
    theorem::show(card, json)?;
    Ok(Status::Fine)
}

/// Check these claims, one after the other.
fn checked(claims: &[&'static Claim], json: bool) -> Result<Status, Failure> {
    let entries = claim::judged(claims, |_| ())?;
    for (at, entry) in entries.iter().enumerate() {
        if json {
            say_json(entry)?;
        } else {
            say(&format!("{}{}", if at == 0 { "" } else { "\n" }, entry.lines()))?;
        }
    }
    Ok(status(&entries))
}

/// Maximum number of claims suggested for a common prefix.
const NAMED: usize = 4;

/// Largest edit distance of a suggested claim.
const NEAR: usize = 2;

/// What may have been meant: the claims that begin with the name that was typed, else the one that is the most like it.
fn near(claims: &[&Claim], id: &str) -> Option<String> {
    let typed = id.to_lowercase();
    let all = claims.iter().map(|claim| claim.id);
    let begun: Vec<&str> = all.clone().filter(|known| known.to_lowercase().starts_with(&typed)).collect();
    match begun.as_slice() {
        [] => {
            let distance = |known: &str| strsim::damerau_levenshtein(&known.to_lowercase(), &typed);
            let nearest = all.min_by_key(|known| distance(known));
            nearest.filter(|known| distance(known) <= NEAR).map(str::to_string)
        }
        [one] => Some(one.to_string()),
        many => {
            let last = if many.len() > NAMED { format!("or {} more", many.len() - NAMED) } else { String::new() };
            let named: Vec<&str> = many.iter().take(NAMED).copied().chain(Some(last.as_str())).collect();
            Some(named.join(", ").trim_end_matches(", ").to_string())
        }
    }
}

fn all(arguments: &ClaimArguments) -> Result<Status, Failure> {
    let places = arguments.out.as_deref().map(|folder| (folder.join("claims.md"), folder.join("claims.json")));
    for path in places.iter().flat_map(|(page, json)| [page, json]) {
        check_writable(path)?;
    }
    let claims = claim::all();
    let bar = progress::bar(claims.len() as u64, "claims");
    let entries = claim::judged(&claims, |claim: &Claim| {
        bar.set_message(claim.id);
        bar.inc(1);
    });
    bar.finish_and_clear();
    let entries = entries?;
    if let Some((page, json)) = &places {
        write(page, &claim::page(&entries))?;
        write(json, &claim::json(&entries))?;
    }
    for entry in &entries {
        if arguments.json {
            say_json(entry)?;
        } else {
            let margin = entry.margin.as_ref().map(|margin| format!(", margin {margin}")).unwrap_or_default();
            let fault = entry.fault.map(|fault| format!(" ({fault})")).unwrap_or_default();
            say(&format!("{:28} {}{fault}{margin}", entry.id, entry.verdict))?;
        }
    }
    if !arguments.json {
        say(&claim::summary(&entries))?;
    }
    Ok(status(&entries))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(write_file(path, text.as_bytes())?)
}

/// A verdict other than the record expects is a mistake: of the paper, not known until now, or of ours.
fn status(entries: &[Entry]) -> Status {
    entries.iter().map(Entry::status).fold(Status::Fine, |all, one| {
        all.and(match one {
            claim::Standing::Expected => Status::Fine,
            claim::Standing::Surprise => Status::Mismatch,
            claim::Standing::Open => Status::Undecided,
        })
    })
}
