//! A small file that would take much memory is refused by what it promises, or as soon as there is too much of it; and no more of a
//! file is unpacked than is needed.

use std::io::{Cursor, Write};

use tangency::Error;
use tangency::io::table::{Table, TableOptions, read_table};

const SAID: &str = "of memory or more, though it has only";

fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<Table, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_table(&path, &TableOptions::default())
}

fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    read(name, bytes).unwrap_err().to_string()
}

/// An archive of files that are there by name.
fn zipped(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An array that promises a shape, and its data.
fn array(description: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {description}, 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    zipped(&[("X.npy", bytes)])
}

#[test]
fn arrays_are_refused_by_their_header() {
    for shape in ["(300000000, 2)", "(1000000000000, 1000000000000)", "(18446744073709551615,)"] {
        let message = refusal("t.npz", array("'<f8'", shape, &[0; 100]));
        assert!(message.contains(SAID) || message.contains("more bytes than there can be"), "{message}");
    }
    let message = refusal("t.npz", array("'|b1'", "(60000000, 2)", &[0; 100]));
    assert!(message.contains(SAID), "a byte becomes a number: {message}");
    let message = refusal("t.npz", array("'<f8'", "(30, 2)", &[0; 100]));
    assert!(message.contains("cut short"), "{message}");
}

/// What stands behind an array is not unpacked.
#[test]
fn of_an_array_no_more_is_read_than_its_header_says() {
    let numbers: Vec<u8> = (0..6).flat_map(|i| f64::from(i).to_le_bytes()).chain([7; 1 << 16]).collect();
    let table = read("t.npz", array("'<f8'", "(3, 2)", &numbers)).unwrap();
    assert_eq!([table.values.col_as_slice(0), table.values.col_as_slice(1)], [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]);
}

#[test]
fn packed_text_ends_where_it_is_too_much() {
    let lines = b"0,0,0,0,0,0,0,0\n".repeat(1 << 16);
    let text = || std::iter::repeat_n(&lines[..], 120);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    text().for_each(|lines| gz.write_all(lines).unwrap());
    let mut zst = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    text().for_each(|lines| zst.write_all(lines).unwrap());
    for (name, bytes) in [("t.csv.gz", gz.finish().unwrap()), ("t.csv.zst", zst.finish().unwrap())] {
        assert!(bytes.len() < 1_000_000, "{}", bytes.len());
        let message = refusal(name, bytes);
        assert!(message.contains(SAID), "{message}");
    }
}

/// The file of an OpenDocument sheet with these rows.
#[cfg(feature = "spreadsheets")]
fn ods(rows: &str) -> Vec<u8> {
    let names = |what: &str| format!("xmlns:{what}=\"urn:oasis:names:tc:opendocument:xmlns:{what}:1.0\"");
    let (office, table, text) = (names("office"), names("table"), names("text"));
    let content = format!(
        "<office:document-content {office} {table} {text}><office:body><office:spreadsheet><table:table table:name=\"S\">\
         {rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    let kind = b"application/vnd.oasis.opendocument.spreadsheet".to_vec();
    let manifest =
        b"<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>".to_vec();
    zipped(&[("mimetype", kind), ("META-INF/manifest.xml", manifest), ("content.xml", content.into_bytes())])
}

#[cfg(feature = "spreadsheets")]
#[test]
fn sheets_are_refused_by_the_cells_that_one_stands_for() {
    let cell = |count: usize, value: usize| {
        format!(
            "<table:table-cell table:number-columns-repeated=\"{count}\" office:value-type=\"float\" office:value=\"{value}\">\
             <text:p>{value}</text:p></table:table-cell>"
        )
    };
    let row = |count: usize, cells: &str| {
        format!("<table:table-row table:number-rows-repeated=\"{count}\">{cells}</table:table-row>")
    };
    let empty = |count: usize| format!("<table:table-cell table:number-columns-repeated=\"{count}\"/>");
    for rows in [
        row(1, &cell(16384, 1)).repeat(400),
        row(6000, &cell(16384, 1)),
        row(1, &cell(1, 1)) + &row(1_000_000, &empty(90)) + &row(1, &(empty(90) + &cell(1, 2))),
    ] {
        let message = refusal("t.ods", ods(&rows));
        assert!(message.contains(SAID), "{message}");
    }
    // as programs write them: the rest of each row, and all rows below, are empty cells that one stands for
    let rows: String = (0..30).map(|i| row(1, &(cell(1, i / 2) + &cell(2, i * i / 3) + &empty(16381)))).collect();
    let table = read("t.ods", ods(&(rows + &row(1_048_546, &empty(16384))))).unwrap();
    assert_eq!((table.values.nrows(), table.values.ncols()), (30, 3));
}

#[cfg(feature = "parquet")]
#[test]
fn columns_of_runs_are_refused_by_their_rows() {
    use parquet::basic::Compression;
    use parquet::data_type::DoubleType;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;
    // a run takes a few bytes, however long it is
    let columns: String = (0..70).map(|c| format!("optional double c{c};")).collect();
    let schema = parquet::schema::parser::parse_message_type(&format!("message t {{ {columns} }}")).unwrap();
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(Default::default())).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let none = vec![0i16; 1 << 20];
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<DoubleType>().write_batch(&[], Some(&none), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    let bytes = writer.into_inner().unwrap();
    assert!(bytes.len() < 1_000_000, "{}", bytes.len());
    let message = refusal("t.parquet", bytes);
    assert!(message.contains(SAID), "{message}");
}
