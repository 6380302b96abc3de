//! NumPy arrays and archives.

use std::io::{Cursor, Write};

use npyz::{AutoSerialize, WriterBuilder};

use super::*;

pub(super) fn npy<T: AutoSerialize>(shape: &[u64], order: npyz::Order, values: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::new().default_dtype().shape(shape).order(order);
    let mut writer = options.writer(&mut bytes).begin_nd().unwrap();
    writer.extend(values).unwrap();
    writer.finish().unwrap();
    bytes
}

/// An array with the header and the data given.
pub(super) fn raw(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub(super) fn header(description: &str, shape: &str) -> String {
    format!("{{'descr': {description}, 'fortran_order': False, 'shape': {shape}, }}")
}

pub(super) fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const SIX: [f64; 6] = [1.0, 2.5, -3.0, 4.0, 5.0, 6.0];

#[test]
fn matrices_are_read_in_either_order() {
    let table = read("t.npy", npy(&[2, 3], npyz::Order::C, SIX)).unwrap();
    assert_eq!(table.feature_names, ["c1", "c2", "c3"]);
    assert_eq!(rows_of(&table.values), [[1.0, 2.5, -3.0], [4.0, 5.0, 6.0]]);
    let table = read("t.npy", npy(&[2, 3], npyz::Order::Fortran, SIX)).unwrap();
    assert_eq!(rows_of(&table.values), [[1.0, -3.0, 5.0], [2.5, 4.0, 6.0]]);
    assert_eq!(
        rows_of(&read("t.npy", npy(&[3], npyz::Order::C, [1.0, 2.0, 3.0])).unwrap().values),
        [[1.0], [2.0], [3.0]]
    );
}

#[test]
fn every_real_type_is_read() {
    let first = |bytes: Vec<u8>| read("t.npy", bytes).unwrap().values[(0, 0)];
    let order = npyz::Order::C;
    assert_eq!(first(npy(&[1], order, [-1.5f32])), -1.5);
    assert_eq!(first(npy(&[1], order, [i8::MIN])), -128.0);
    assert_eq!(first(npy(&[1], order, [i16::MIN])), -32768.0);
    assert_eq!(first(npy(&[1], order, [i32::MIN])), -2147483648.0);
    assert_eq!(first(npy(&[1], order, [i64::MIN])), i64::MIN as f64);
    assert_eq!(first(npy(&[1], order, [u8::MAX])), 255.0);
    assert_eq!(first(npy(&[1], order, [u16::MAX])), 65535.0);
    assert_eq!(first(npy(&[1], order, [u32::MAX])), 4294967295.0);
    assert_eq!(first(npy(&[1], order, [u64::MAX])), u64::MAX as f64);
    assert_eq!(first(npy(&[1], order, [true])), 1.0);
    assert_eq!(first(raw(&header("'>f8'", "(1,)"), &1.25f64.to_be_bytes())), 1.25);
    assert_eq!(first(raw(&header("'>f4'", "(1,)"), &1.25f32.to_be_bytes())), 1.25);
    assert_eq!(first(raw(&header("'>i2'", "(1,)"), &(-300i16).to_be_bytes())), -300.0);
    assert_eq!(first(raw(&header("'>u8'", "(1,)"), &7u64.to_be_bytes())), 7.0);
    for (bits, expected) in [(0x3c00u16, 1.0), (0xc580, -5.5), (0x0001, 2f64.powi(-24)), (0x7bff, 65504.0)] {
        assert_eq!(first(raw(&header("'<f2'", "(1,)"), &bits.to_le_bytes())), expected);
    }
}

#[test]
fn any_layout_of_the_header_is_understood() {
    let data: Vec<u8> = SIX.iter().flat_map(|x| x.to_le_bytes()).collect();
    for header in [
        "{\"shape\":[2,3],\"fortran_order\":False,\"descr\":\"<f8\"}",
        "{'fortran_order': False, 'shape': (2, 3), 'descr': '<f8', }      \n",
        "{'extra': [('shape', 'descr: x'), (1, 2)], 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
    ] {
        assert_eq!(rows_of(&read("t.npy", raw(header, &data)).unwrap().values)[1], [4.0, 5.0, 6.0]);
    }
    for version in [2, 3] {
        let header = header("'<f8'", "(2, 3)");
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(&data);
        assert_eq!(rows_of(&read("t.npy", bytes).unwrap().values)[1], [4.0, 5.0, 6.0]);
    }
}

#[test]
fn columns_of_an_array_are_chosen_by_number_or_name() {
    let fixture = Fixture::new("t.npy", npy(&[2, 4], npyz::Order::C, [1i64 << 53 | 1, 2, 3, 4, 5, 6, 7, 8]));
    let options = TableOptions {
        id_column: Some("1".into()),
        label_column: Some("c3".into()),
        exclude: vec!["4".into()],
        ..TableOptions::default()
    };
    let table = read_table(&fixture.path, &options).unwrap();
    assert_eq!(table.feature_names, ["c2"]);
    assert_eq!(table.ids.unwrap(), ["9007199254740993", "5"]);
    assert_eq!(table.labels.unwrap(), ["3", "7"]);
    assert_eq!(table.carried, [("c4".into(), vec!["4".into(), "8".into()])]);
    let options = TableOptions { columns: Some(vec!["c4".into(), "2:3".into()]), ..TableOptions::default() };
    let table = read_table(&fixture.path, &options).unwrap();
    assert_eq!(rows_of(&table.values), [[4.0, 2.0, 3.0], [8.0, 6.0, 7.0]]);
}

#[test]
fn numbers_carried_as_text_are_short_and_whole() {
    let fixture = Fixture::new("t.npy", npy(&[6, 1], npyz::Order::C, [1.0, 0.1, 1e300, -1e-300, 0.0, f64::INFINITY]));
    let text = numpy_text(&fixture);
    assert_eq!(text, ["1", "0.1", "1e300", "-1e-300", "0", "inf"]);
    let fixture = Fixture::new("t.npy", npy(&[2, 1], npyz::Order::C, [0.1f32, 3e38]));
    assert_eq!(numpy_text(&fixture), ["0.1", "3e38"]);
    let fixture = Fixture::new("t.npy", npy(&[2, 1], npyz::Order::C, [true, false]));
    assert_eq!(numpy_text(&fixture), ["true", "false"]);
}

fn numpy_text(fixture: &Fixture) -> Vec<String> {
    let array = crate::io::table::numpy::read_npy(&fixture.path, "the array", 2).unwrap();
    array.texts(&[0]).unwrap().remove(0)
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    for (number, expected) in [(f64::NAN, "missing"), (f64::NEG_INFINITY, "-inf")] {
        let error = read("t.npy", npy(&[2, 2], npyz::Order::C, [1.0, 2.0, number, 4.0])).unwrap_err();
        assert!(
            matches!(&error, Error::NonFinite { row: 1, column, value, .. } if column == "c1" && value == expected),
            "{error}"
        );
    }
}

#[test]
fn other_numbers_of_axes_are_refused() {
    let message = refusal("t.npy", npy(&[1, 2, 3], npyz::Order::C, SIX));
    assert!(message.contains("the array has 3 dimensions (1 × 2 × 3), but 1 to 2"), "{message}");
    let message = refusal("t.npy", npy(&[], npyz::Order::C, [1.0]));
    assert!(message.contains("the array has 0 dimensions (), but 1 to 2"), "{message}");
}

#[test]
fn empty_arrays_are_refused() {
    for shape in ["(0,)", "(0, 3)", "(3, 0)", "(0, 1000000000000000000)", "(1000000000000000000, 0)"] {
        let message = refusal("t.npy", raw(&header("'<f8'", shape), &[]));
        assert!(message.contains("the array is empty"), "{message}");
    }
}

#[test]
fn a_matrix_may_have_three_axes_of_which_two_become_one() {
    let values = |order| {
        let fixture = Fixture::new("start.npy", npy(&[2, 3, 2], order, (0..12).map(f64::from)));
        rows_of(&read_matrix(&fixture.path, "the start").unwrap())
    };
    assert_eq!(values(npyz::Order::C)[1], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(values(npyz::Order::Fortran)[1], [1.0, 7.0, 3.0, 9.0, 5.0, 11.0]);
    let fixture = Fixture::new("start.npy", npy(&[2], npyz::Order::C, [1.0, 2.0]));
    assert_eq!(rows_of(&read_matrix(&fixture.path, "the start").unwrap()), [[1.0], [2.0]]);
    let fixture = Fixture::new("start.npy", npy(&[1, 1, 1, 1], npyz::Order::C, [1.0]));
    let message = read_matrix(&fixture.path, "the start").unwrap_err().to_string();
    assert!(message.contains("the start has 4 dimensions (1 × 1 × 1 × 1), but 1 to 3"), "{message}");
}

#[test]
fn what_is_not_an_array_of_numbers_is_refused() {
    for (description, expected) in [
        ("'|O'", "holds objects (a pickle)"),
        ("[('a', '<f8'), ('shape', '<i4')]", "is a structured array"),
        ("'<U5'", "its type <U5 is not a real number"),
        ("'<c16'", "its type <c16 is not a real number"),
        ("'<M8[ns]'", "its type <M8[ns] is not a real number"),
        ("'<f16'", "its type <f16 is not a real number"),
    ] {
        let message = refusal("t.npy", raw(&header(description, "(2, 3)"), &[0; 200]));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn damaged_headers_are_refused() {
    for (bytes, expected) in [
        (b"".to_vec(), "does not begin as a NumPy array does"),
        (b"\x80\x04\x95pickle".to_vec(), "does not begin as a NumPy array does"),
        (b"\x93NUMPY\x01".to_vec(), "header is cut short"),
        (b"\x93NUMPY\x09\x00\x00\x00\x00\x00".to_vec(), "version of the format is not known"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "header is cut short"),
        (raw("{'fortran_order': False}", &[]), "no entry descr"),
        (raw("{'descr': '<f8', 'fortran_order': 3, 'shape': (1,)}", &[]), "gives 3 as fortran_order"),
        (raw(&header("'<f8'", "(-1, 2)"), &[]), "gives (-1, 2) as shape"),
        (raw(&header("'<f8'", "(99999999999999999999999,)"), &[]), "as shape"),
        (raw(&"(".repeat(60_000), &[]), "no entry descr"),
    ] {
        let message = refusal("t.npy", bytes);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn shapes_larger_than_the_file_are_refused() {
    for shape in ["(2, 3)", "(4000000000, 4000000000)", "(18446744073709551615, 2)", "(1000000000000,)"] {
        let message = refusal("t.npy", raw(&header("'<f8'", shape), &[0; 47]));
        assert!(message.contains("the array is cut short"), "{message}");
    }
    assert!(read("t.npy", raw(&header("'<f8'", "(2, 3)"), &[0; 48])).is_ok());
}

fn matrix_of(first: f64) -> Vec<u8> {
    npy(&[1, 2], npyz::Order::C, [first, 0.0])
}

fn first_of(arrays: &[(&str, Vec<u8>)], array: Option<&str>) -> Result<f64> {
    let fixture = Fixture::new("t.npz", npz(arrays));
    let options = TableOptions { array: array.map(str::to_owned), ..TableOptions::default() };
    Ok(read_table(&fixture.path, &options)?.values[(0, 0)])
}

#[test]
fn the_array_of_an_archive_is_found() {
    let vector = || npy(&[2], npyz::Order::C, [9.0, 9.0]);
    let objects = || raw(&header("'|O'", "(2, 3)"), b"pickle");
    let named = [("data", matrix_of(1.0)), ("other", matrix_of(2.0))];
    assert_eq!(first_of(&named, Some("other")).unwrap(), 2.0);
    assert_eq!(first_of(&named, None).unwrap(), 1.0);
    assert_eq!(first_of(&[("X", vector()), ("odd", matrix_of(3.0)), ("x", objects())], None).unwrap(), 3.0);
    assert_eq!(first_of(&[("only", vector())], None).unwrap(), 9.0);
    let usual = ["arr_0", "data", "y", "Y", "x", "X"];
    let mut arrays = vec![("a", matrix_of(-1.0))];
    for (rank, name) in usual.into_iter().enumerate() {
        arrays.push((name, matrix_of(rank as f64)));
        assert_eq!(first_of(&arrays, None).unwrap(), rank as f64);
    }
}

#[test]
fn an_archive_without_a_clear_array_lists_its_arrays() {
    let arrays = [("b", matrix_of(1.0)), ("a", matrix_of(2.0))];
    let message = first_of(&arrays, None).unwrap_err().to_string();
    assert!(message.contains("it is not clear which of its arrays (a, b) is the table"), "{message}");
    assert!(message.ends_with("; name one of them with array"), "{message}");
    let message = first_of(&arrays, Some("c")).unwrap_err().to_string();
    assert!(message.contains("there is no array \"c\" in it, but a, b;"), "{message}");
    let message = first_of(&[("a", raw(&header("'|O'", "(2, 3)"), b""))], Some("a")).unwrap_err().to_string();
    assert!(message.contains("the array a cannot be read: it holds objects"), "{message}");
    assert!(refusal("t.npz", b"PK").contains("not a sound .npz file"));
}

#[test]
fn damaged_arrays_never_panic() {
    damage_never_panics("t.npy", &npy(&[2, 3], npyz::Order::Fortran, SIX));
    damage_never_panics("t.npz", &npz(&[("X", matrix_of(1.0)), ("b", matrix_of(2.0))]));
}
