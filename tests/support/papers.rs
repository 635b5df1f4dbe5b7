//! Items of papers, computed again.

use std::path::{Path, PathBuf};

use dpcert::internals::papers::{Item, evaluate, files};

/// The files of an item in the checkout.
pub fn committed(item: &Item) -> Vec<PathBuf> {
    let endings = ["toml", "json", "md", "tex", "csv", "svg", "pdf", "curves.csv"];
    endings.iter().map(|ending| PathBuf::from(format!("papers/{}.{ending}", item.id))).collect()
}

/// The files of an item below a folder that are not, byte for byte, what is computed.
pub fn differences(item: &Item, folder: &Path) -> Vec<String> {
    let evaluated = evaluate(item, &|| {}).unwrap_or_else(|error| panic!("{}: {error}", item.id));
    let mut differ = Vec::new();
    for (ending, bytes) in files(&evaluated).expect("files") {
        let path = folder.join(format!("{}.{ending}", item.id));
        if std::fs::read(&path).ok().as_ref() != Some(&bytes) {
            differ.push(path.to_string_lossy().into_owned());
        }
    }
    differ
}

/// Each file of the item that is committed is what is computed.
pub fn regenerates(item: &Item) {
    let differ = differences(item, Path::new("papers"));
    assert!(
        differ.is_empty(),
        "{differ:?} are not what is computed: `dpcert paper all --out papers --again` writes it"
    );
}
