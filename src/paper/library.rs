//! All items: those inside of this program, or the files of a folder.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::data::Data;
use crate::error::Error;
use crate::files::PAPERS;
use crate::published::statements::plain;
use crate::read::{read_text, shown};

/// Names less alike than this are no guess at what was meant.
const ALIKE: f64 = 0.8;

/// The largest file of an item.
const MOST_BYTES: u64 = 1 << 20;

/// One table or figure.
#[derive(Clone, Debug)]
pub struct Item {
    /// `PAPER/ITEM`.
    pub id: String,
    /// What its file says.
    pub data: Data,
    /// A number that any change of the file changes.
    pub fingerprint: String,
}

/// Items, by id.
#[derive(Clone, Debug)]
pub struct Library {
    /// All of them.
    pub items: Vec<Item>,
}

impl Library {
    /// Those inside of this program.
    pub fn embedded() -> Result<Self, Error> {
        let item =
            |(name, text): &(&str, &str)| Item::parse(&format!("papers/{name}"), name.trim_end_matches(".toml"), text);
        let mut items: Vec<Item> = PAPERS.iter().map(item).collect::<Result<_, _>>()?;
        // By id, in which there is no ending.
        items.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Library { items })
    }

    /// Those of the files `PAPER/ITEM.toml` below a folder.
    pub fn folder(path: &Path) -> Result<Self, Error> {
        let failed =
            |error: std::io::Error| Error::input(format!("cannot read '{}': {error}", shown(&path.to_string_lossy())));
        let mut items = Vec::new();
        for paper in fs::read_dir(path).map_err(failed)? {
            let paper = paper.map_err(failed)?.path();
            if !paper.is_dir() {
                continue;
            }
            for file in fs::read_dir(&paper).map_err(failed)? {
                let file = file.map_err(failed)?.path();
                if file.extension().is_none_or(|ending| ending != "toml") {
                    continue;
                }
                let text = |name: Option<&OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
                let id = format!("{}/{}", text(paper.file_name()), text(file.file_stem()));
                let file = file.to_string_lossy().into_owned();
                items.push(Item::parse(&file, &id, &read_text(&file, MOST_BYTES)?)?);
            }
        }
        if items.is_empty() {
            let path = shown(&path.to_string_lossy());
            return Err(Error::input(format!("'{path}' contains no files PAPER/ITEM.toml")));
        }
        items.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Library { items })
    }

    /// The items of this name: that of an id, all of a paper, or all parts of a table or figure, as in `su/table-2`.
    /// Papers have their short names too, as in `DRS figure 1`.
    pub fn named(&self, what: &str) -> Vec<&Item> {
        let what = plain(what);
        let named = |item: &&Item| {
            let (paper, name) = item.id.split_once('/').unwrap_or((&item.id, ""));
            match what.strip_prefix(&plain(paper)) {
                Some("") => true,
                Some(rest) => rest.strip_prefix('-').is_some_and(|rest| {
                    plain(name).strip_prefix(rest).is_some_and(|more| more.is_empty() || more.starts_with('-'))
                }),
                None => false,
            }
        };
        self.items.iter().filter(named).collect()
    }

    /// The items of this name; `all` for all.
    pub fn chosen(&self, what: &str) -> Result<Vec<&Item>, Error> {
        let exact = |item: &&Item| what == "all" || item.id == what;
        let chosen: Vec<&Item> = self.items.iter().filter(exact).collect();
        let chosen = if chosen.is_empty() { self.named(what) } else { chosen };
        if chosen.is_empty() {
            let near = self.near(what).map_or(String::new(), |near| format!("; did you mean {near}?"));
            return Err(Error::input(format!(
                "unknown paper or item `{}` (`dpcert paper list` lists all){near}",
                crate::table::quoted(what)
            )));
        }
        Ok(chosen)
    }

    /// The paper or the item that was probably meant, if one is near.
    fn near(&self, what: &str) -> Option<&str> {
        let what = what.to_lowercase();
        let papers = self.items.iter().filter_map(|item| item.id.split('/').next());
        papers
            .chain(self.items.iter().map(|item| item.id.as_str()))
            .map(|name| (strsim::jaro_winkler(&what, name), name))
            .filter(|(alike, _)| *alike > ALIKE)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name)
    }
}

impl Item {
    /// The item of a text in this file.
    pub fn parse(file: &str, id: &str, text: &str) -> Result<Self, Error> {
        let data = Data::parse(file, text)?;
        // The 64-bit hash of Fowler, Noll and Vo; it identifies the inputs of a result and is not cryptographic.
        let whole = format!("{} {text}", env!("CARGO_PKG_VERSION"));
        let hash = whole
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Ok(Item { id: id.to_string(), data, fingerprint: format!("{hash:016x}") })
    }
}
