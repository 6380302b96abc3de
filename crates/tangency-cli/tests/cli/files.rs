//! Files that tests write for the command, and the reading of those it wrote.

use npyz::WriterBuilder;
use safetensors::SafeTensors;
use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// A fresh folder, removed when dropped.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The folder that holds the workspace and, on some machines, its data beside it.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file of a folder with its content; folders in it by name only.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap_or_default())
        })
        .collect()
}

/// An array as the bytes of an `.npy` file, row-major.
pub fn npy<T: npyz::AutoSerialize>(shape: &[u64], values: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut bytes).begin_nd().unwrap();
    writer.extend(values).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Arrays by name as the bytes of an `.npz` file.
pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A CSV file by columns.
pub struct Columns {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Columns {
    pub fn read(path: &Path) -> Self {
        Self::parse(&std::fs::read_to_string(path).unwrap())
    }

    pub fn parse(text: &str) -> Self {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        Self { header, rows }
    }

    pub fn texts(&self, name: &str) -> Vec<String> {
        let column = self.header.iter().position(|other| other == name).unwrap_or_else(|| panic!("no column {name}"));
        self.rows.iter().map(|row| row[column].clone()).collect()
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.texts(name).iter().map(|text| text.parse().unwrap()).collect()
    }
}

/// The arrays of doubles in a model file, by name, with their shapes.
pub fn model_arrays(path: &Path) -> HashMap<String, (Vec<usize>, Vec<f64>)> {
    let bytes = std::fs::read(path).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let doubles = tensors.iter().filter(|(_, view)| view.dtype() == safetensors::Dtype::F64);
    doubles
        .map(|(name, view)| {
            let words = view.data().as_chunks::<8>().0;
            let values = words.iter().map(|&word| f64::from_le_bytes(word)).collect();
            (name.to_owned(), (view.shape().to_vec(), values))
        })
        .collect()
}
