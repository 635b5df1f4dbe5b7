//! The tables and figures of papers that take more than some seconds.

use dpcert::internals::papers::Library;

use crate::support::papers::regenerates;

#[test]
fn slow_items_regenerate() {
    let library = Library::embedded().expect("items");
    library.items.iter().filter(|item| item.data.slow).for_each(regenerates);
}
