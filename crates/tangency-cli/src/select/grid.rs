//! What was typed as the grid: ranges, lists and files.

use crate::args::SelectArgs;
use std::path::Path;
use tangency::evidence::GraphChoice;
use tangency::graph::edges_from_cells;
use tangency::io::table::{Table, read_cells};
use tangency::message::{Remedy, shown};
use tangency::{Error, Result, Symmetry};

/// The numbers of neighbours that are tried when nothing is said of graphs, as far as there are points.
const DEFAULT_NEIGHBORS: std::ops::RangeInclusive<usize> = 4..=14;
/// More than this in one range is a slip of the finger.
const LONGEST: usize = 1000;

/// The grid as typed; edge lists are read when the table is known.
pub struct Asked {
    neighbors: Option<Vec<usize>>,
    mutual: Vec<usize>,
    radii: Vec<f64>,
    pub n_components: Vec<usize>,
}

/// Reads what can be read without the table.
pub fn asked(args: &SelectArgs) -> Result<Asked> {
    if args.seeds == 0 {
        return Err(Error::too_small("seeds", 0, 1));
    }
    let others = args.mutual.is_some() || args.radius.is_some() || !args.edges.is_empty();
    let given = |field, text: &Option<String>| text.as_deref().map(|text| whole_numbers(field, text)).transpose();
    Ok(Asked {
        neighbors: match given("n_neighbors", &args.n_neighbors)? {
            None if others => Some(vec![]),
            numbers => numbers,
        },
        mutual: given("mutual", &args.mutual)?.unwrap_or_default(),
        radii: args.radius.as_deref().map(radii).transpose()?.unwrap_or_default(),
        n_components: whole_numbers("n_components", &args.n_components)?,
    })
}

impl Asked {
    /// All graphs, kind by kind.
    pub fn graphs(&self, args: &SelectArgs, table: &Table) -> Result<Vec<GraphChoice>> {
        let n = table.values.nrows();
        let default = || DEFAULT_NEIGHBORS.filter(|&k| k < n.max(DEFAULT_NEIGHBORS.start() + 1)).collect();
        let neighbors = self.neighbors.clone().unwrap_or_else(default);
        let mutual = |&n_neighbors: &usize| GraphChoice::Neighbors { n_neighbors, symmetry: Symmetry::Mutual };
        let mut graphs: Vec<GraphChoice> = neighbors.into_iter().map(GraphChoice::neighbors).collect();
        graphs.extend(self.mutual.iter().map(mutual));
        graphs.extend(self.radii.iter().map(|&radius| GraphChoice::Radius(radius)));
        let names = args.edges_by.unwrap_or_default();
        for path in &args.edges {
            let edges = edges_from_cells(&read_cells(path)?, n, table.ids.as_deref(), names)
                .map_err(|error| in_file(path, error))?;
            graphs.push(GraphChoice::Edges { name: path.display().to_string(), edges });
        }
        Ok(graphs)
    }
}

/// Of several edge lists, which one is wrong.
fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::BadEdge { row, problem, remedies, .. } => {
            Error::BadEdge { list: Some(path.display().to_string()), row, problem, remedies }
        }
        other => other,
    }
}

/// Whole numbers from 1 on, ascending and each once: `4:14`, `4:14:2`, `5,9,12`, or a mixture.
fn whole_numbers(field: &'static str, text: &str) -> Result<Vec<usize>> {
    let invalid = |part: &str, but: String, remedy: &'static str| {
        Error::setting(field, format!("\"{}\"", shown(part)), but, [Remedy::act(remedy)])
    };
    let unread = || invalid(text, "that is not a list of whole numbers".into(), "write it like 4:14, 4:14:2 or 5,9,12");
    let number = |part: &str| part.trim().parse::<usize>().map_err(|_| unread());
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let ends = part.split(':').map(number).collect::<Result<Vec<usize>>>()?;
        let (first, last, step) = match ends[..] {
            [only] => (only, only, 1),
            [first, last] => (first, last, 1),
            [first, last, step] => (first, last, step),
            _ => return Err(unread()),
        };
        if first == 0 {
            return Err(invalid(text, "the smallest value is 1".into(), "begin with at least 1"));
        }
        if step == 0 {
            return Err(invalid(text, "the smallest step is 1".into(), "use a larger step"));
        }
        if first > last {
            return Err(invalid(part, "that range is empty".into(), "put the smaller end first"));
        }
        if (last - first) / step >= LONGEST {
            return Err(invalid(part, format!("a range has at most {LONGEST} numbers"), "use a shorter range"));
        }
        numbers.extend((first..=last).step_by(step));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// Positive numbers, ascending and each once.
fn radii(text: &str) -> Result<Vec<f64>> {
    let invalid = || {
        let but = "that is not a list of positive numbers";
        Error::setting("radius", format!("\"{}\"", shown(text)), but, [Remedy::act("write it like 0.5 or 0.5,1,2")])
    };
    let number = |part: &str| {
        part.trim().parse::<f64>().ok().filter(|radius| *radius > 0.0 && radius.is_finite()).ok_or_else(invalid)
    };
    let mut radii = text.split(',').map(number).collect::<Result<Vec<f64>>>()?;
    radii.sort_by(f64::total_cmp);
    radii.dedup();
    Ok(radii)
}

#[cfg(test)]
mod tests {
    //! Ranges mean what they say, and nothing else is a range.
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ranges_and_lists() {
        let read = |text: &str| whole_numbers("n_neighbors", text).unwrap();
        assert_eq!(read("4:7"), [4, 5, 6, 7]);
        assert_eq!(read("4:9:2"), [4, 6, 8]);
        assert_eq!(read("9,5, 12"), [5, 9, 12]);
        assert_eq!(read("3:5,4,10"), [3, 4, 5, 10]);
        assert_eq!(read("8"), [8]);
        assert_eq!(radii("1,0.5,1").unwrap(), [0.5, 1.0]);
    }

    #[test]
    fn what_is_no_range() {
        let long = "1:99999999999";
        for text in ["", "a", "4-14", "4:", ":4", "1:2:3:4", "0", "0:4", "9:4", "4:9:0", "-3", "2.5", "4,,5", long] {
            assert!(whole_numbers("n_neighbors", text).is_err(), "{text}");
        }
        for text in ["", "0", "-1", "NaN", "inf", "1:2", "1,,2"] {
            assert!(radii(text).is_err(), "{text}");
        }
    }
}
