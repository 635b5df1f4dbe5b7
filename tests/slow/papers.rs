//! The tables and figures of papers that take more than some seconds.

use dpcert::internals::papers::{Item, Library};

use crate::support::papers::regenerates;

#[test]
fn slow_items_regenerate() {
    let library = Library::embedded().expect("items");
    let slow: Vec<&Item> = library.items.iter().filter(|item| item.data.slow).collect();
    assert!(slow.len() >= 7, "{}", slow.len());
    slow.into_iter().for_each(regenerates);
}
