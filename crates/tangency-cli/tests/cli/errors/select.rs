//! Grids that cannot be.

use super::Case;

pub fn cases() -> Vec<Case> {
    let bad = |name: &str, more: &str, words: &[&'static str]| {
        Case::new(&format!("select: {name}"), &format!("select Y.csv --columns a:c {more}"), words)
    };
    vec![
        bad("range of words", "-k few", &["--n-neighbors", "4:14", "few"]),
        bad("range without end", "-k 4:", &["--n-neighbors", "4:14", "4:"]),
        bad("range of four parts", "-k 4:14:2:1", &["--n-neighbors", "4:14:2"]),
        bad("empty range", "-k 14:4", &["--n-neighbors", "smaller end first", "14:4"]),
        bad("endless range", "-k 1:99999999999", &["--n-neighbors", "at most"]),
        bad("step of nothing", "-k 4:14:0", &["--n-neighbors", "step"]),
        bad("no neighbours", "-k 0:3", &["--n-neighbors", "at least 1"]),
        bad("negative neighbours", "-k -3", &["--n-neighbors", "-3"]),
        bad("more neighbours than points", "-k 38:40", &["--n-neighbors", "40", "only 40 rows"]),
        bad("more mutual neighbours than points", "--mutual 41", &["only 40 rows", "41"]),
        bad("mutual range of words", "--mutual all", &["mutual", "all"]),
        bad("no dimension", "-d 0:2", &["--n-components", "at least 1"]),
        bad("half a dimension", "-d 1.5", &["--n-components", "1.5"]),
        bad("as many dimensions as points", "-d 40", &["--n-components", "only 40 rows"]),
        bad("more dimensions than features", "-d 1:4", &["--n-components", "is 4", "3 feature(s)"]),
        bad("too few rows to hold some out", "--by held-out -k 5,30", &["--by", "26 of the 40 rows", "30 neighbours"]),
        bad("no seeds", "--seeds 0", &["seeds", "1"]),
        bad("radius zero", "--radius 0,1", &["radius", "positive", "0,1"]),
        bad("radius of words", "--radius wide", &["radius", "wide"]),
        bad("edge list is missing", "--edges none.csv", &["none.csv", "cannot be read"]),
        bad("edge list of other points", "--edges a.csv e.csv", &["e.csv", "row 2", "99"])
            .with("a.csv", "0,1\n")
            .with("e.csv", "0,1\n3,99\n"),
        bad("edge list twice", "--edges e.csv e.csv", &["e.csv", "twice"]).with("e.csv", "0,1\n"),
        bad("edges-by without edges", "--edges-by id", &["required arguments"]).by_parser(),
        bad("a start of one's own", "--init-maps s.npy", &["--init-maps"]).by_parser(),
        bad("the largest piece", "--largest", &["--largest"]).by_parser(),
        bad("no iterations", "--max-iter 0", &["--max-iter", "at least 1"]),
        bad("figure of another kind", "--figure f.jpg", &["figure", ".svg, .png or .pdf", "f.jpg"]),
        bad("table exists", "", &["select.csv exists", "--force"]).with("select.csv", "kept"),
        bad("figure exists", "", &["select.svg exists", "--force"]).with("select.svg", "kept"),
        bad("folder is missing", "--out no/s.csv", &["no/s.csv", "folder"]),
        bad("output is the table", "--out Y.csv --force", &["Y.csv", "input"]),
        bad("figure is the output", "--out s.svg --figure s.svg", &["s.svg", "name of its own"]),
        bad("unfinished work of another command", "", &["select.csv.partial", "delete it", "--force"])
            .with("select.csv.partial", "{\"tangency_select\":1,\"fingerprint\":\"0\"}\n"),
        bad("no journal at all", "", &["select.csv.partial", "delete it", "--force"])
            .with("select.csv.partial", "my notes"),
        Case::new("select: unknown column", "select Y.csv --columns a,z", &["no column \"z\""]),
        Case::new("select: table is missing", "select none.csv", &["none.csv", "cannot be read"]),
    ]
}
