//! The arrays of a model file: numbers as bytes, and back, checked.

use crate::error::Result;
use crate::fit::Imputed;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// Points and features of the entries that the table lacked.
const MISSING: &str = "missing";
/// What is expected of them.
const MISSING_VALUES: &str = "missing_values";
/// Their standard deviations.
const MISSING_DEVIATIONS: &str = "missing_deviations";

/// The largest number of a model in scaled units: its fourth power, times a precision, is still a number.
pub(super) const LARGEST: f64 = 1e75;
/// The largest of all that is said about a fit beside its arrays.
pub(super) const LARGEST_SAID: f64 = 1e300;
/// What is in the units of the table, which may be of any size.
const IN_UNITS: [&str; 6] =
    ["observations", "center", "scale", MISSING_VALUES, MISSING_DEVIATIONS, "held_out_log_densities"];

pub(super) struct FileArray {
    pub name: &'static str,
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

impl FileArray {
    pub fn of_f64(name: &'static str, shape: Vec<usize>, values: &[f64]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self { name, dtype: Dtype::F64, shape, bytes }
    }

    pub fn of_u32(name: &'static str, shape: Vec<usize>, values: &[u32]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self { name, dtype: Dtype::U32, shape, bytes }
    }

    pub fn view(&self) -> std::result::Result<TensorView<'_>, safetensors::SafeTensorError> {
        TensorView::new(self.dtype, self.shape.clone(), &self.bytes)
    }
}

pub(super) struct Reader<'a> {
    pub tensors: SafeTensors<'a>,
    pub broken: &'a dyn Fn(&str) -> crate::Error,
}

impl<'a> Reader<'a> {
    pub fn array(&self, name: &str, dtype: Dtype) -> Result<(Vec<usize>, TensorView<'a>)> {
        let view = self.tensors.tensor(name).map_err(|_| (self.broken)(&format!("lacks the array {name}")))?;
        if view.dtype() != dtype {
            return Err((self.broken)(&format!("has an array {name} of another type")));
        }
        Ok((view.shape().to_vec(), view))
    }

    pub fn f64s(&self, name: &str, expected: &[usize]) -> Result<Vec<f64>> {
        let (shape, view) = self.array(name, Dtype::F64)?;
        if shape != expected {
            return Err((self.broken)(&format!("has an array {name} of another shape")));
        }
        let values: Vec<f64> = view.data().as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err((self.broken)(&format!("has numbers in {name} that are not finite")));
        }
        if !IN_UNITS.contains(&name) {
            self.check_magnitudes(name, &values, LARGEST)?;
        }
        Ok(values)
    }

    /// An error if one of these is larger than any that a fit finds.
    pub fn check_magnitudes(&self, name: &str, values: &[f64], largest: f64) -> Result<()> {
        match values.iter().any(|value| value.abs() > largest) {
            true => Err((self.broken)(&format!("has numbers in {name} that are too large to reckon with"))),
            false => Ok(()),
        }
    }

    pub fn u32s(&self, name: &str) -> Result<Vec<u32>> {
        let (_, view) = self.array(name, Dtype::U32)?;
        Ok(view.data().as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }
}

/// Entries that a table lacked.
pub(super) fn of_missing(imputed: &Imputed) -> [FileArray; 3] {
    let Imputed { entries, values, deviations } = imputed;
    let pairs: Vec<u32> = entries.iter().flat_map(|&(row, f)| [row, f]).collect();
    [
        FileArray::of_u32(MISSING, vec![entries.len(), 2], &pairs),
        FileArray::of_f64(MISSING_VALUES, vec![entries.len()], values),
        FileArray::of_f64(MISSING_DEVIATIONS, vec![entries.len()], deviations),
    ]
}

impl Reader<'_> {
    /// Entries that the table, n × d_y, lacked.
    pub fn imputed(&self, n: usize, d_y: usize) -> Result<Option<Imputed>> {
        if !self.tensors.names().contains(&MISSING) {
            return Ok(None);
        }
        let pairs = self.u32s(MISSING)?;
        let entries: Vec<(u32, u32)> = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        if pairs.len() % 2 != 0 || entries.iter().any(|&(row, f)| row as usize >= n || f as usize >= d_y) {
            return Err((self.broken)("has missing entries that are not in the table"));
        }
        if entries.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err((self.broken)("has missing entries that are not in order, or twice"));
        }
        let deviations = self.f64s(MISSING_DEVIATIONS, &[entries.len()])?;
        let values = self.f64s(MISSING_VALUES, &[entries.len()])?;
        Ok(Some(Imputed { entries, values, deviations }))
    }
}
