//! Graphs that users give or that come out broken.

use crate::paper;
use tangency::graph::{EdgeNames, edges_from_cells, pieces};
use tangency::linalg::Matrix;
use tangency::{Config, Error, Fitter, Graph, Init};

/// Two lines of points, far apart.
fn two_lines() -> Matrix {
    Matrix::from_fn(40, 2, |i, c| if c == 0 { (i % 25) as f64 } else { 100.0 * f64::from(u8::from(i >= 25)) })
}

fn short(config: Config) -> Config {
    Config { n_components: 1, n_neighbors: 3, max_iter: 15, init: Init::Isomap, ..config }
}

#[test]
fn a_broken_graph_names_its_pieces_and_the_ways_out() {
    let error = Fitter::new(short(paper())).fit(&two_lines()).err().unwrap();
    assert!(matches!(&error, Error::Disconnected { sizes, .. } if sizes == &[25, 15]));
    let text = error.to_string();
    assert!(
        ["2 pieces", "25, 15", "n_neighbors = ", "connect = true", "largest = true"]
            .iter()
            .all(|part| text.contains(part)),
        "{text}"
    );
}

#[test]
fn connect_adds_the_shortest_bridge_and_reports_it() {
    let fit = Fitter::new(short(Config { connect: true, ..paper() })).fit(&two_lines()).unwrap();
    assert_eq!(fit.bridges, vec![(0, 25)]);
    assert_eq!(pieces(&fit.graph).len(), 1);
}

#[test]
fn largest_keeps_the_rows_of_the_largest_piece() {
    let fit = Fitter::new(short(Config { largest: true, ..paper() })).fit(&two_lines()).unwrap();
    assert_eq!(fit.rows, (0..25).collect::<Vec<_>>());
    assert_eq!((fit.n(), fit.n_rows), (25, 40));
}

#[test]
fn a_radius_joins_all_within_it() {
    let config = Config { radius: Some(1.5), largest: true, ..paper() };
    let fit = Fitter::new(short(config)).fit(&two_lines()).unwrap();
    assert_eq!(fit.graph.edges().len(), 24);
}

#[test]
fn duplicate_points_do_no_harm() {
    let points = Matrix::from_fn(60, 2, |i, c| if c == 0 { (i / 2) as f64 } else { ((i / 2) as f64 * 0.3).sin() });
    let fit = Fitter::new(short(Config { connect: true, ..paper() })).fit(&points).unwrap();
    assert!(fit.bound().is_finite() && fit.coordinates.is_all_finite());
}

#[test]
fn edge_lists_are_read_by_number_or_by_id() {
    let rows = |text: &[[&str; 2]]| text.iter().map(|row| row.map(str::to_owned).to_vec()).collect::<Vec<_>>();
    let ids: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    let numbers = edges_from_cells(&rows(&[["from", "to"], ["0", "1"], ["2", "1"]]), 3, Some(&ids), EdgeNames::Auto);
    assert_eq!(numbers.unwrap(), vec![(0, 1), (2, 1)]);
    let named = edges_from_cells(&rows(&[["a", "b"], ["c", "b"]]), 3, Some(&ids), EdgeNames::Auto);
    assert_eq!(named.unwrap(), vec![(0, 1), (2, 1)]);
    let integers: Vec<String> = ["2", "1", "0"].map(str::to_owned).to_vec();
    let by_id = edges_from_cells(&rows(&[["0", "1"]]), 3, Some(&integers), EdgeNames::Id);
    assert_eq!(by_id.unwrap(), vec![(2, 1)]);
    assert!(edges_from_cells(&rows(&[["0", "3"]]), 3, None, EdgeNames::Auto).is_err());
}

#[test]
fn loops_and_repeated_edges_are_dropped() {
    let graph = Graph::from_edges(4, [(1, 0), (0, 1), (2, 2), (3, 1), (2, 0)]);
    assert_eq!(graph.edges(), &[(0, 1), (0, 2), (1, 3)]);
    assert_eq!(graph.neighbors(1), &[0, 3]);
    assert_eq!(graph.neighbors(0), &[1, 2]);
}
