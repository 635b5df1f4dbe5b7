//! Text files inside of the program, as they were when it was built: each list has paths and texts, in the order of the
//! paths. `build.rs` makes the lists.

include!(concat!(env!("OUT_DIR"), "/files.rs"));
