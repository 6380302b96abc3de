//! Which columns become what.

use super::*;

const MIXED: &str = "name,jan,feb,mar,site,group\np,1,2,3,u,0\nq,4,5,6,v,1\n";

fn select(options: TableOptions) -> Result<Table> {
    read_table(&Fixture::new("mixed.csv", MIXED).path, &options)
}

fn features(columns: &[&str], exclude: &[&str]) -> Result<Vec<String>> {
    let columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
    let exclude = exclude.iter().map(|&name| name.to_owned()).collect();
    Ok(select(TableOptions { columns, exclude, ..TableOptions::default() })?.feature_names)
}

#[test]
fn numeric_columns_are_features_and_others_are_carried() {
    let table = select(TableOptions::default()).unwrap();
    assert_eq!(table.feature_names, ["jan", "feb", "mar", "group"]);
    assert_eq!(rows_of(&table.values), [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 1.0]]);
    assert_eq!(
        table.carried,
        [("name".into(), vec!["p".into(), "q".into()]), ("site".into(), vec!["u".into(), "v".into()])]
    );
    assert!(table.ids.is_none() && table.labels.is_none());
}

#[test]
fn ids_and_labels_are_neither_features_nor_carried() {
    let table = select(TableOptions {
        id_column: Some("1".into()),
        label_column: Some("group".into()),
        ..TableOptions::default()
    })
    .unwrap();
    assert_eq!(table.feature_names, ["jan", "feb", "mar"]);
    assert_eq!(table.ids.unwrap(), ["p", "q"]);
    assert_eq!(table.labels.unwrap(), ["0", "1"]);
    assert_eq!(table.carried.len(), 1);
}

#[test]
fn one_column_may_be_both_id_and_label() {
    let both = Some("name".to_owned());
    let table =
        select(TableOptions { id_column: both.clone(), label_column: both, ..TableOptions::default() }).unwrap();
    assert_eq!(table.ids.unwrap(), ["p", "q"]);
    assert_eq!(table.labels.unwrap(), ["p", "q"]);
}

#[test]
fn features_are_chosen_by_name_number_and_range() {
    assert_eq!(features(&["mar", "jan"], &[]).unwrap(), ["mar", "jan"]);
    assert_eq!(features(&["2", " 6 "], &[]).unwrap(), ["jan", "group"]);
    assert_eq!(features(&["jan:mar"], &[]).unwrap(), ["jan", "feb", "mar"]);
    assert_eq!(features(&["2:mar", "feb:3"], &[]).unwrap(), ["jan", "feb", "mar"]);
    assert_eq!(features(&["jan:mar"], &["feb"]).unwrap(), ["jan", "mar"]);
}

#[test]
fn excluded_columns_are_still_carried() {
    let table = select(TableOptions { exclude: vec!["feb:mar".into()], ..TableOptions::default() }).unwrap();
    assert_eq!(table.feature_names, ["jan", "group"]);
    let carried: Vec<&str> = table.carried.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(carried, ["name", "feb", "mar", "site"]);
    assert_eq!(table.carried[1].1, ["2", "5"]);
}

#[test]
fn names_come_before_numbers_and_may_hold_colons() {
    let fixture = Fixture::new("years.csv", "2,1,a:b,c\nx,5,6,7\n");
    let read = |columns: &str| {
        let columns = Some(vec![columns.to_owned()]);
        let options = TableOptions { columns, header: Some(true), ..TableOptions::default() };
        read_table(&fixture.path, &options).unwrap().feature_names
    };
    assert_eq!(read("1"), ["1"]);
    assert_eq!(read("4"), ["c"]);
    assert_eq!(read("a:b"), ["a:b"]);
    assert_eq!(read("a:b:c"), ["a:b", "c"]);
    assert_eq!(read("1:a:b"), ["1", "a:b"]);
}

#[test]
fn columns_that_are_not_there_are_named_with_those_that_are() {
    for (wanted, missing) in [("dec", "dec"), ("7", "7"), ("0", "0"), ("jan:dec", "dec"), ("apr:dec", "apr"), ("", "")]
    {
        let message = features(&[wanted], &[]).unwrap_err().to_string();
        assert!(message.starts_with(&format!("there is no column \"{missing}\" in ")), "{message}");
        assert!(message.ends_with("choose among its columns, which are name, jan, feb, mar, site, group"), "{message}");
        assert!(matches!(features(&["jan"], &[wanted]), Err(Error::NoSuchColumn { .. })));
        let label_column = Some(wanted.to_owned());
        assert!(matches!(
            select(TableOptions { label_column, ..TableOptions::default() }),
            Err(Error::NoSuchColumn { .. })
        ));
    }
}

#[test]
fn long_lists_of_columns_are_shortened() {
    let header: Vec<String> = (0..100).map(|j| format!("x{j}")).collect();
    let fixture = Fixture::new("wide.csv", format!("{}\n{}\n", header.join(","), vec!["1"; 100].join(",")));
    let options = TableOptions { id_column: Some("id".into()), ..TableOptions::default() };
    let message = read_table(&fixture.path, &options).unwrap_err().to_string();
    assert!(message.ends_with("x10, x11, …"), "{message}");
}

#[test]
fn ranges_run_from_left_to_right() {
    let error = features(&["mar:jan"], &[]).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "columns", .. }), "{error}");
    let error = features(&["jan"], &["5:2"]).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "exclude", .. }), "{error}");
}

#[test]
fn a_feature_cannot_also_be_id_or_label() {
    for (id_column, label_column) in [(Some("jan".to_owned()), None), (None, Some("3".to_owned()))] {
        let columns = Some(vec!["jan:mar".to_owned()]);
        let options = TableOptions { id_column, label_column, columns, ..TableOptions::default() };
        let error = select(options.clone()).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "columns", .. }), "{error}");
        let exclude = vec!["jan".to_owned(), "feb".to_owned()];
        assert_eq!(select(TableOptions { exclude, ..options }).unwrap().feature_names, ["mar"]);
    }
}

#[test]
fn a_chosen_column_must_be_numeric() {
    let error = features(&["jan:site"], &[]).unwrap_err();
    assert!(
        matches!(&error, Error::NotNumeric { row: 0, column, value, .. } if column == "site" && value == "u"),
        "{error}"
    );
}

#[test]
fn a_table_needs_a_feature() {
    for (columns, exclude) in [(Some(vec![]), vec![]), (None, vec!["2:4".into(), "group".into()])] {
        let message = select(TableOptions { columns, exclude, ..TableOptions::default() }).unwrap_err().to_string();
        assert!(message.contains("no numeric column is left to be a feature"), "{message}");
    }
}

/// Twelve rows under a header.
fn twelve(header: &str, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", (0..12).map(|i| row(i) + "\n").collect::<String>())
}

#[test]
fn identifiers_are_left_out_and_noted() {
    let left_out = |contents: String| -> Vec<(String, WhyLeftOut)> {
        let table = read("t.csv", contents).unwrap();
        let left_out = table.notes.into_iter().filter_map(|note| match note {
            TableNote::LeftOut { column, why } => Some((column, why)),
            _ => None,
        });
        left_out.collect()
    };
    let text = twelve("Id,v", |i| format!("{},{}.5", i * 5 % 12, i % 4));
    assert_eq!(left_out(text.clone()), [("Id".into(), WhyLeftOut::NamedId)]);
    let table = read("t.csv", &text).unwrap();
    assert_eq!((table.feature_names, table.carried[0].0.as_str()), (vec!["v".to_owned()], "Id"));
    assert_eq!(table.carried[0].1[1], "5");
    assert_eq!(left_out(twelve("n,v", |i| format!("{},{}", i + 7, i % 4))), [("n".into(), WhyLeftOut::CountsRows)]);
    assert_eq!(left_out(twelve(",v", |i| format!("{},{}", i % 3, i % 4))), [("c1".into(), WhyLeftOut::NoName)]);
    let ours = twelve("id,x1,sd1,log_density,novelty", |i| format!("{i},{}.25,0.{i},-{i}.5,0.{i}5", i % 4));
    let names: Vec<String> = left_out(ours).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["id", "sd1", "log_density", "novelty"]);
}

#[test]
fn identifiers_are_features_where_they_are_listed_or_nothing_else_is_there() {
    let fixture = Fixture::new("t.csv", twelve("id,v", |i| format!("{i},{}", i % 4)));
    let options = TableOptions { columns: Some(vec!["id".into(), "v".into()]), ..TableOptions::default() };
    assert_eq!(read_table(&fixture.path, &options).unwrap().feature_names, ["id", "v"]);
    let options = TableOptions { exclude: vec!["v".into()], ..TableOptions::default() };
    assert_eq!(read_table(&fixture.path, &options).unwrap().feature_names, ["id"]);
}

#[test]
fn a_model_without_the_row_numbers_finds_its_columns_again() {
    for contents in [twelve("n,v,w", |i| format!("{i},{}.5,{}", i % 4, i % 3)), {
        let rows = twelve("", |i| format!("{i},{}.5,{}", i % 4, i % 3));
        rows.trim_start().to_owned()
    }] {
        let fixture = Fixture::new("t.csv", contents);
        let table = fixture.table().unwrap();
        assert_eq!(table.feature_names.len(), 2);
        let blocks = super::stream::blocks(&fixture.path, &TableOptions::default(), &table.feature_names, 5).unwrap();
        assert_eq!(blocks.rows, rows_of(&table.values));
    }
}

#[test]
fn what_is_odd_about_columns_and_rows_is_noted() {
    let contents = twelve("code,a,b,c,day,sex,ok,who", |i| {
        let row = i % 11;
        format!(
            "{},{row}.5,1,{row}.5,2024-01-{row:02},{},{},p{row}",
            row * 7 % 11 + 100,
            ["f", "m"][row % 2],
            row % 2 == 0
        )
    });
    let table = read("t.csv", &contents).unwrap();
    assert_eq!(table.feature_names, ["code", "a", "b", "c"], "all of them stay features");
    let kinds = vec![
        (CellKind::Dates, vec!["day".to_owned()]),
        (CellKind::Categories, vec!["sex".to_owned()]),
        (CellKind::Booleans, vec!["ok".to_owned()]),
        (CellKind::Text, vec!["who".to_owned()]),
    ];
    assert_eq!(
        table.notes,
        [
            TableNote::Constant(vec!["b".into()]),
            TableNote::RepeatedColumns(vec![("c".into(), "a".into())]),
            TableNote::RepeatedRows { count: 1, first: (11, 0) },
            TableNote::Columns { used: table.feature_names.clone(), unused: kinds },
        ]
    );
    let contents = twelve("code,a", |i| format!("{},{}.5", i * 7 % 12, i % 5));
    assert_eq!(read("t.csv", contents).unwrap().notes, [TableNote::MayBeIds(vec!["code".into()])]);
}
