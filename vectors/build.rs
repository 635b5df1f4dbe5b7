//! Packs the vectors into one file, which the feature `embedded` puts into the crate: twelve megabytes of decimals
//! become less than one. Each file is its name in a line, its length in a line, and its text.

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=data");
    #[cfg(feature = "embedded")]
    pack()?;
    Ok(())
}

#[cfg(feature = "embedded")]
fn pack() -> std::io::Result<()> {
    use std::fs;
    use std::io::Write;
    use std::path::PathBuf;

    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let mut paths = Vec::new();
    for entry in fs::read_dir(variable("CARGO_MANIFEST_DIR").join("data"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            paths.push(path);
        }
    }
    // The same bytes, in whatever order a file system has them.
    paths.sort();
    let packed = fs::File::create(variable("OUT_DIR").join("vectors.gz"))?;
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::best());
    for path in paths {
        let text = fs::read(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        write!(packed, "{name}\n{}\n", text.len())?;
        packed.write_all(&text)?;
    }
    packed.finish()?.sync_all()
}
