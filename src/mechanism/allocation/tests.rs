//! Reading of allocations, and what a row means.

use super::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a rational")
}

#[test]
fn a_row_is_two_cells() {
    let text = "level,query,rho\nUS,sex,1/4\nUS,age,0.25\nState,sex,1e-1\n";
    let allocation = Allocation::parse(text).expect("an allocation");
    assert_eq!(allocation.levels(), ["US", "State"]);
    assert_eq!(allocation.rho(), rational("3/5"));
    let shown = |allocation: &Allocation| allocation.composition().expect("a composition").to_string();
    assert_eq!(shown(&allocation), "discrete-gaussian(sigma2=4)^4 * discrete-gaussian(sigma2=10)^2");
    assert_eq!(shown(&allocation.level("State").expect("a level")), "discrete-gaussian(sigma2=10)^2");
    assert_eq!(allocation.level("state"), None);
}

#[test]
fn a_move_is_one_cell_on_each_path() {
    let text = "path,level,row,rho\n2,US,1,1/4\n10,US,1,1/3\n10,US,2,1/4\n";
    let paths = Paths::parse(text).expect("paths");
    assert_eq!(paths.pairs(), [(2, 2), (2, 10), (10, 10)]);
    let shown = |pair| paths.composition(pair).expect("a composition").to_string();
    assert_eq!(shown((2, 2)), "discrete-gaussian(sigma2=4)^2");
    assert_eq!(shown((2, 10)), "discrete-gaussian(sigma2=4)^2 * discrete-gaussian(sigma2=3)");
    assert_eq!(shown((10, 2)), "discrete-gaussian(sigma2=3) * discrete-gaussian(sigma2=4)^2");
    assert_eq!(paths.rho((2, 10)), Ok(rational("5/12")));
    // A record that stays on its path meets what the path's allocation says.
    assert_eq!(paths.composition((10, 10)), paths.path(10).and_then(Allocation::composition));
    assert_eq!(paths.path(3), Err(Error::input("there is no path 3; paths are numbered from 2 to 10")));
}

#[test]
fn faults_know_their_line() {
    let header = "level,query,rho\n";
    for (rows, line, message) in [
        ("", 1, "no row below the header"),
        ("US,sex,0\n", 2, "rho must be greater than 0, not `0`"),
        ("US,sex,1\nUS,age,-1/2\n", 3, "rho must be greater than 0, not `-1/2`"),
        ("US,sex,\n", 2, "rho is missing"),
        ("US,sex\n", 2, "2 fields, but the header has 3"),
        ("US,sex,ln(2)\n", 2, "rho must be rational, not `ln(2)`, so that privacy losses lie on a lattice"),
        ("US,,1\n", 2, "the query is empty"),
        (",sex,1\n", 2, "the level is empty"),
        ("US,sex,1\n\n# again\nUS,sex,1\n", 5, "the query `sex` of level `US` is already in line 2"),
        ("US,sex,1/0\n", 2, "rho = `1/0`: division by zero"),
    ] {
        assert_eq!(Allocation::parse(&format!("{header}{rows}")), Err((line, message.to_string())), "{rows:?}");
    }
    for (text, line, message) in [
        ("path,level,row,rho\n0,US,1,1\n", 2, "path must be an integer from 1 to 4294967295, not `0`"),
        ("path,level,row,rho\n+1,US,1,1\n", 2, "path must be an integer from 1 to 4294967295, not `+1`"),
        ("path,level,row,rho\n1,US,1,1\n1,US,1,2\n", 3, "the row `1` of level `US` is already in line 2"),
        ("path,level,rho\n1,US,1\n", 1, "missing column `row`; the header must be path,level,row,rho"),
        (
            "path,level,row,rho\n0,US,1,1\n1,US,1,x\n1,US,2\n",
            2,
            "path must be an integer from 1 to 4294967295, not `0`; line 3: rho = `x`: unknown name 'x' (known: \
             sqrt, ln, exp, f64:); line 4: 3 fields, but the header has 4",
        ),
    ] {
        assert_eq!(Paths::parse(text), Err((line, message.to_string())), "{text:?}");
    }
}

#[test]
fn names_of_files_carry_parts() {
    assert_eq!(csv("a/b.csv"), Some(("a/b.csv", None)));
    assert_eq!(csv("a/b.csv:Block_Group"), Some(("a/b.csv", Some("Block_Group"))));
    assert_eq!(csv("C:/b.csv:1+2"), Some(("C:/b.csv", Some("1+2"))));
    assert_eq!(csv("b.toml"), None);
    assert_eq!(pair_of_paths("6+10", '+'), Some((6, 10)));
    assert_eq!(pair_of_paths("6, 10", ','), Some((6, 10)));
    for text in ["6", "6+", "+", "6+0", "6+10+2", "-6+10"] {
        assert_eq!(pair_of_paths(text, '+'), None, "{text}");
    }
}
