//! q(x) and q(C), independent between points. Numbers of a point lie next to each other: entry i·d_x + a of coordinates,
//! (i·d_x + a)·d_y + f of maps.

/// q(x) and q(C), point by point.
#[derive(Clone)]
pub struct Beliefs {
    /// Means of the coordinates. `[n·d_x]`
    pub x: Vec<f64>,
    /// Conditional covariances S_i. `[n·d_x²]`
    pub s: Vec<f64>,
    /// Means of the maps, along the rows of the observations. `[n·d_x·rows]`
    pub c: Vec<f64>,
    /// Conditional column covariances T_i. `[n·d_x²]`
    pub t: Vec<f64>,
}
