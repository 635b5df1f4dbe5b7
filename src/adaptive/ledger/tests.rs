//! Every moment at which a process can be killed, and every byte that can be wrong.

use std::path::PathBuf;

use super::*;

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dpcert-ledger-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn ledger(&self) -> PathBuf {
        self.0.join("ledger")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn real(text: &str) -> Real {
    text.parse().expect("a constant")
}

/// A ledger with three entries.
fn three(folder: &Folder) -> PathBuf {
    let path = folder.ledger();
    open(&path, Notion::Gdp, Some(&real("1")), &[real("1/2"), real("sqrt(1/3)")]).expect("opened");
    for (mu, label) in [("1/2", None), ("sqrt(1/3)", Some("a \"quoted\" label, \u{3b5}")), ("1/10", None)] {
        let (decision, _) = spend(&path, Notion::Gdp, &real(mu), label.map(String::from)).expect("spent");
        assert_eq!(decision, Decision::Granted);
    }
    path
}

#[test]
fn what_is_saved_is_loaded() {
    let folder = Folder::new("saved");
    let path = three(&folder);
    let state = status(&path).expect("a ledger");
    assert_eq!(state.spent(), Rational::from((1, 4)) + Rational::from((1, 3)) + Rational::from((1, 100)));
    assert_eq!(state.budget, Some(Rational::from(1)));
    assert_eq!(state.levels, [Rational::from((1, 4)), Rational::from((1, 3))]);
    assert_eq!(state.entries[1].label.as_deref(), Some("a \"quoted\" label, \u{3b5}"));
    assert_eq!((state.torn, level(&state)), (false, None));
    // What is refused changes nothing.
    let before = fs::read(&path).expect("a file");
    let (decision, after) = spend(&path, Notion::Gdp, &real("1"), None).expect("asked");
    assert_eq!((decision, &after), (Decision::Refused, &state));
    for bad in ["-1", "ln(2)"] {
        assert!(spend(&path, Notion::Gdp, &real(bad), None).is_err());
    }
    assert!(spend(&path, Notion::Pure, &real("1/10"), None).is_err());
    assert!(spend(&path, Notion::Gdp, &real("0"), Some("two\nlines".into())).is_err());
    assert!(open(&path, Notion::Gdp, Some(&real("5")), &[]).is_err_and(|e| e.to_string().ends_with("already exists")));
    assert_eq!(fs::read(&path).expect("a file"), before);
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 1);
    // Exactly what is left.
    let left = real("1").sub(&Real::from(state.spent())).sqrt().expect("a root");
    assert_eq!(spend(&path, Notion::Gdp, &left, None).expect("asked").0, Decision::Granted);
    let state = status(&path).expect("a ledger");
    assert_eq!((state.entries.len(), state.spent()), (4, Rational::from(1)));
}

#[test]
fn odometers_refuse_nothing() {
    let folder = Folder::new("odometer");
    let path = folder.ledger();
    open(&path, Notion::Pure, None, &[real("1")]).expect("opened");
    for _ in 0..3 {
        assert_eq!(spend(&path, Notion::Pure, &real("1/2"), None).expect("asked").0, Decision::Granted);
    }
    let state = status(&path).expect("a ledger");
    assert_eq!((state.spent(), level(&state), &state.budget), (Rational::from((3, 2)), None, &None));
}

/// Killed after any number of bytes of the entry, before or after the line that commits it: the ledger is read, it has
/// what was granted, and goes on.
#[test]
fn killed_at_any_moment() {
    let folder = Folder::new("killed");
    let path = three(&folder);
    let before = fs::read(&path).expect("a file");
    let old = status(&path).expect("a ledger");
    assert_eq!(spend(&path, Notion::Gdp, &real("1/5"), Some("fourth".into())).expect("asked").0, Decision::Granted);
    let after = fs::read(&path).expect("a file");
    let new = status(&path).expect("a ledger");
    assert_eq!(new.entries.len(), 4);
    for length in before.len()..=after.len() {
        // The entry so far, with the first line as it was.
        let mut bytes = before.clone();
        bytes.extend_from_slice(&after[before.len()..length]);
        fs::write(&path, &bytes).expect("written");
        let state = status(&path).expect("a ledger");
        let whole = length == after.len();
        assert_eq!(state.torn, length > before.len() && !whole);
        assert_eq!(state.entries, if whole { new.entries.clone() } else { old.entries.clone() });
        // It goes on, and what was only begun is gone.
        let (decision, state) = spend(&path, Notion::Gdp, &real("1/100"), None).expect("asked");
        assert_eq!((decision, state.torn), (Decision::Granted, false));
        let again = status(&path).expect("a ledger");
        assert_eq!(again.entries, state.entries);
        assert!(!again.torn);
    }
}

/// Killed again and again between an entry and the line that commits it: each of them is committed before the next.
#[test]
fn killed_again_at_the_same_moment() {
    let folder = Folder::new("again");
    let path = three(&folder);
    for entries in 4..8 {
        let head = fs::read(&path).expect("a file");
        assert_eq!(spend(&path, Notion::Gdp, &real("1/10"), None).expect("asked").0, Decision::Granted);
        let whole = fs::read(&path).expect("a file");
        // The first line as it was when the entry was appended: it tells of all before.
        let before = format::head(entries - 1, format::parse(&head, "ledger").expect("a ledger").chain);
        let bytes = [before.as_bytes(), &whole[before.len()..]].concat();
        fs::write(&path, bytes).expect("written");
        let state = status(&path).expect("a ledger");
        assert_eq!((state.entries.len(), state.committed), (entries, entries - 1));
    }
    // An entry behind one that is not committed is nothing that this program leaves.
    let bytes = fs::read(&path).expect("a file");
    assert_eq!(spend(&path, Notion::Gdp, &real("1/10"), None).expect("asked").0, Decision::Granted);
    let old = format::head(0, 0).len();
    let after = fs::read(&path).expect("a file");
    fs::write(&path, [&bytes[..old], &after[old..]].concat()).expect("written");
    assert!(status(&path).is_err_and(|error| error.to_string().contains("is unexpected")));
}

/// Cut anywhere within what was granted, it is refused, and so it is with any byte changed.
#[test]
fn damage_is_refused_and_nothing_is_changed() {
    let folder = Folder::new("damage");
    let path = three(&folder);
    let good = fs::read(&path).expect("a file");
    let refused = |bytes: &[u8], what: String| {
        fs::write(&path, bytes).expect("written");
        for error in [status(&path).err(), spend(&path, Notion::Gdp, &real("0"), None).err()] {
            let error = error.unwrap_or_else(|| panic!("{what}: taken for a ledger"));
            assert!(matches!(error, Error::Input(_)), "{what}: {error}");
            assert!(!error.to_string().contains('\n'), "{what}: {error}");
        }
        assert_eq!(fs::read(&path).expect("a file"), bytes, "{what}");
    };
    for length in 0..good.len() {
        refused(&good[..length], format!("cut at {length}"));
    }
    for place in 0..good.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut bytes = good.clone();
            bytes[place] ^= flip;
            refused(&bytes, format!("byte {place} ^ {flip}"));
        }
    }
    // A line that is missing, twice, elsewhere, or of another ledger.
    let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    for without in 0..lines.len() {
        let rest: Vec<u8> = (0..lines.len()).filter(|i| *i != without).flat_map(|i| lines[i]).copied().collect();
        refused(&rest, format!("without line {without}"));
    }
    refused(&[&good[..], lines[4]].concat(), "the last line twice".into());
    refused(&[lines[0], lines[1], lines[3], lines[2], lines[4]].concat(), "two lines exchanged".into());
    for foreign in [&b"id,value\n1,2\n"[..], b"{}", b"\0\0\0\0", b"{\"dpcert-ledger\":1", &[0xff; 300]] {
        refused(foreign, format!("{foreign:?}"));
        refused(&[&good[..], foreign].concat(), format!("followed by {foreign:?}"));
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new("no-file");
    assert!(status(&folder.0).is_err_and(|error| error.to_string().ends_with("is not a regular file")));
    assert!(status(&folder.ledger()).is_err());
    assert!(open(&folder.0.join("none/ledger"), Notion::Gdp, None, &[]).is_err());
    assert!(open(&folder.ledger(), Notion::Gdp, Some(&real("-1")), &[]).is_err());
    assert!(!folder.ledger().exists());
}

/// Threads have descriptors of their own, and so locks of their own.
#[test]
fn threads_on_one_ledger_cannot_overspend() {
    let folder = Folder::new("threads");
    let path = folder.ledger();
    open(&path, Notion::Zcdp, Some(&real("1")), &[]).expect("opened");
    let ask = || {
        let one = || spend(&path, Notion::Zcdp, &real("1/20"), None).expect("asked").0;
        (0..10).filter(|_| one() == Decision::Granted).count()
    };
    let granted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!((granted, status(&path).expect("a ledger").spent()), (20, Rational::from(1)));
}
