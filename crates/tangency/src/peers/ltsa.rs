//! Local tangent space alignment (Zhang and Zha 2004): one map on which all local principal coordinates agree.

use super::{bottom_of_spectrum, check_dimension, check_pieces};
use crate::error::{Error, Result};
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, SparseSymmetric, dot, sequential_eigen};
use crate::message;
use crate::message::{Piece, Remedy};
use rayon::prelude::*;

/// Coordinates with unit variance on each axis up to a common factor; `points` is d_y × n, one a column. [n, d_x]
///
/// A point that no neighbourhood lists would be free to lie anywhere; if there is one, neighbourhoods are taken along the
/// edges in both directions.
pub fn ltsa(points: &Matrix, neighborhoods: &Neighborhoods, n_components: usize) -> Result<Matrix> {
    let n = check_dimension(points, n_components)?;
    check_pieces(neighborhoods.graph())?;
    let both_ways = Neighborhoods::of(neighborhoods.graph().clone());
    let neighborhoods = if neighborhoods.lists_all() { neighborhoods } else { &both_ways };
    // M = Σ_i I − GᵢGᵢᵀ, the part of the neighbourhood of i that neither a shift nor its tangent space explains
    let blocks: Vec<Vec<(u32, u32, f64)>> = (0..n)
        .into_par_iter()
        .map(|i| {
            let around = neighborhoods.around(i);
            let tangent = tangent_coordinates(points, i, around, n_components)?;
            let constant = 1.0 / around.len() as f64;
            let mut entries = Vec::with_capacity(around.len() * (around.len() + 1) / 2);
            for (p, &a) in around.iter().enumerate() {
                for (q, &b) in around.iter().enumerate().skip(p) {
                    let explained: f64 =
                        constant + (0..n_components).map(|c| tangent[(p, c)] * tangent[(q, c)]).sum::<f64>();
                    entries.push((a, b, f64::from(u8::from(p == q)) - explained));
                }
            }
            Ok(entries)
        })
        .collect::<Result<_>>()?;
    bottom_of_spectrum(SparseSymmetric::from_entries(n, blocks.concat()), n_components, "alignment matrix")
}

/// Unit left singular vectors of the centred neighbours. [k, d_x]
fn tangent_coordinates(points: &Matrix, i: usize, around: &[u32], n_components: usize) -> Result<Matrix> {
    let (k, d) = (around.len(), points.nrows());
    if n_components >= k {
        let neighbors = if k == 1 { "neighbour" } else { "neighbours" };
        return Err(Error::Setting {
            name: "n_neighbors",
            problem: message![
                Piece::Row(i),
                format!(" has {k} {neighbors}, but more than "),
                Piece::Setting("n_components"),
                format!(", which is {n_components}, are needed")
            ],
            remedies: vec![Remedy::Raise("n_neighbors"), Remedy::Lower("n_components")],
        });
    }
    let mut mean = vec![0.0; d];
    for &j in around {
        mean.iter_mut().zip(points.col_as_slice(j as usize)).for_each(|(slot, v)| *slot += v / k as f64);
    }
    let local = Matrix::from_fn(d, k, |f, p| points[(f, around[p] as usize)] - mean[f]);
    let name = "local scatter";
    if d >= k {
        let gram = Matrix::from_fn(k, k, |p, q| dot(local.col_as_slice(p), local.col_as_slice(q)));
        let (_, vectors) = sequential_eigen(&gram, name)?;
        return Ok(Matrix::from_fn(k, n_components, |p, c| vectors[(p, k - 1 - c)]));
    }
    let across = local.transpose().to_owned();
    let scatter = Matrix::from_fn(d, d, |f, g| dot(across.col_as_slice(f), across.col_as_slice(g)));
    let (values, axes) = sequential_eigen(&scatter, name)?;
    // more components than features: the rest of the neighbourhood is a point in them
    let length = |c: usize| values.get(d.wrapping_sub(1 + c)).map_or(0.0, |v| v.max(0.0).sqrt());
    Ok(Matrix::from_fn(k, n_components, |p, c| match length(c) {
        0.0 => 0.0,
        length => dot(local.col_as_slice(p), axes.col_as_slice(d - 1 - c)) / length,
    }))
}
