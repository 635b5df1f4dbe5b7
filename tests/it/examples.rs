//! The examples of the library do what they are there to show.

#[path = "../../examples/ask.rs"]
mod ask;
#[path = "../../examples/composition.rs"]
mod composition;
#[path = "../../examples/curve.rs"]
mod curve;
#[path = "../../examples/session.rs"]
mod session;

#[test]
fn they_run_to_their_end() {
    for (name, example) in [
        ("ask", ask::main as fn() -> Result<(), Box<dyn std::error::Error>>),
        ("composition", composition::main),
        ("curve", curve::main),
        ("session", session::main),
    ] {
        example().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
