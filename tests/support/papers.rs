//! Items of papers, computed again.

use std::path::PathBuf;

use dpcert::internals::papers::{Item, evaluate, files};

/// The files of an item in the checkout.
pub fn committed(item: &Item) -> Vec<PathBuf> {
    let endings = ["toml", "json", "md", "tex", "csv", "svg", "pdf", "curves.csv"];
    endings.iter().map(|ending| PathBuf::from(format!("papers/{}.{ending}", item.id))).collect()
}

/// Each file of the item is, byte for byte, what is computed.
pub fn regenerates(item: &Item) {
    let evaluated = evaluate(item, &|| {}).unwrap_or_else(|error| panic!("{}: {error}", item.id));
    for (ending, bytes) in files(&evaluated).expect("files") {
        let path = format!("papers/{}.{ending}", item.id);
        let stored = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(stored == bytes, "{path} is not what is computed: `dpcert paper all --out papers --again` writes it");
    }
}
