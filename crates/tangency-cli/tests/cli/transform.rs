//! New rows in a fitted model: where they land, what is written of them, and that neither the company, the format nor
//! the threads change a digit.

use crate::command::{command, run, run_json};
use crate::files::{Columns, npy, npz};
use crate::fitted::{
    FIT, NEW, TRAINED, apart, assert_finite, mean, numbers, put, rms, sheet, table, text, with_model, with_sheet,
};
use std::path::Path;

const FEATURES: [&str; 3] = ["y1", "y2", "y3"];

/// The output for a table of the folder, line by line without the header.
fn lines(folder: &Path, arguments: &str) -> Vec<String> {
    run(folder, &format!("transform m.safetensors {arguments} --out lines.csv --force"));
    text(folder, "lines.csv").lines().skip(1).map(str::to_owned).collect()
}

/// The lines without their first cell.
fn nameless(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split_once(',').unwrap().1).collect()
}

/// The least-squares plane through values at coordinates.
fn plane(x: &[Vec<f64>; 2], values: &[f64]) -> impl Fn(f64, f64) -> f64 + use<> {
    let center = [0, 1].map(|a| mean(x[a].iter().copied()));
    let height = mean(values.iter().copied());
    let along = |a: usize, i: usize| x[a][i] - center[a];
    let moment = |a: usize, b: usize| (0..values.len()).map(|i| along(a, i) * along(b, i)).sum::<f64>();
    let with = [0, 1].map(|a| (0..values.len()).map(|i| along(a, i) * (values[i] - height)).sum::<f64>());
    let [p, q, r] = [moment(0, 0), moment(0, 1), moment(1, 1)];
    let determinant = p * r - q * q;
    let slope = [(r * with[0] - q * with[1]) / determinant, (p * with[1] - q * with[0]) / determinant];
    move |first, second| height + slope[0] * (first - center[0]) + slope[1] * (second - center[1])
}

#[test]
fn rows_that_were_not_fitted_land_near_the_truth() {
    let folder = with_model();
    run(folder.path(), "transform m.safetensors new.csv --out t.csv");
    let (train, new) = (table(folder.path(), "train.csv"), table(folder.path(), "new.csv"));
    let fitted = numbers(&table(folder.path(), "embedding.csv"), ["x1", "x2"]);
    let placed = numbers(&table(folder.path(), "t.csv"), ["x1", "x2"]);
    for truth in ["true1", "true2"] {
        let expect = plane(&fitted, &train.numbers(truth));
        let missed =
            |x: &[Vec<f64>; 2], truth: &[f64]| rms((0..truth.len()).map(|i| expect(x[0][i], x[1][i]) - truth[i]));
        let (seen, unseen) = (missed(&fitted, &train.numbers(truth)), missed(&placed, &new.numbers(truth)));
        assert!(unseen < 0.1 && unseen < 1.3 * seen, "{truth}: {seen} of rows in the fit, {unseen} of new ones");
    }
}

#[test]
fn the_table_of_the_fit_lands_where_the_fit_put_it() {
    let folder = with_model();
    run(folder.path(), "transform m.safetensors train.csv --id-column name --out t.csv");
    let (fitted, placed) = (table(folder.path(), "embedding.csv"), table(folder.path(), "t.csv"));
    assert_eq!(placed.texts("id"), fitted.texts("id"));
    for (x, sd) in [("x1", "sd1"), ("x2", "sd2")] {
        let moved = fitted.numbers(x).into_iter().zip(placed.numbers(x)).map(|(a, b)| (a - b).abs());
        let in_deviations: Vec<f64> = moved.zip(placed.numbers(sd)).map(|(moved, sd)| moved / sd).collect();
        assert!(in_deviations.iter().all(|&moved| moved < 0.5) && mean(in_deviations) < 0.1, "{x}");
    }
}

#[test]
fn columns_are_the_coordinates_their_deviations_and_how_surprising_the_row_is() {
    let folder = with_model();
    let header = |more: &str| {
        run(folder.path(), &format!("transform m.safetensors new.csv --out t.csv --force {more}"));
        let placed = table(folder.path(), "t.csv");
        assert_eq!(placed.rows.len(), NEW, "{more}");
        assert_finite(&placed, &["id", "label", "neighbors"], more);
        assert!(["sd1", "sd2"].into_iter().all(|sd| placed.numbers(sd).iter().all(|&sd| sd > 0.0)), "{more}");
        placed
    };
    let plain = header("");
    assert_eq!(plain.header, ["id", "x1", "x2", "sd1", "sd2", "log_density", "novelty"]);
    assert_eq!(plain.texts("id"), (0..NEW).map(|i| i.to_string()).collect::<Vec<_>>());

    let named = header("--id-column name --label-column side");
    assert_eq!(named.header, ["id", "label", "x1", "x2", "sd1", "sd2", "log_density", "novelty"]);
    let new = table(folder.path(), "new.csv");
    assert_eq!((named.texts("id"), named.texts("label")), (new.texts("name"), new.texts("side")));
    for column in &plain.header[1..] {
        assert_eq!(named.texts(column), plain.texts(column), "{column}");
    }
}

#[test]
fn details_are_the_covariance_the_neighbours_and_the_local_map() {
    let folder = with_model();
    run(folder.path(), "transform m.safetensors new.csv --details --out t.csv");
    run(folder.path(), "loadings m.safetensors --each --out l.csv");
    let placed = table(folder.path(), "t.csv");
    let expected =
        "id,x1,x2,sd1,sd2,log_density,novelty,neighbors,cov1_1,cov1_2,cov2_2,d1_y1,d1_y2,d1_y3,d2_y1,d2_y2,d2_y3";
    assert_eq!(placed.header.join(","), expected);
    assert_finite(&placed, &["neighbors"], "details");

    let (train, loadings) = (table(folder.path(), "train.csv"), table(folder.path(), "l.csv"));
    let (fitted, new) = (numbers(&train, FEATURES), numbers(&table(folder.path(), "new.csv"), FEATURES));
    let covariance = numbers(&placed, ["cov1_1", "cov1_2", "cov2_2"]);
    let total = numbers(&placed, ["sd1", "sd2"]);
    for (i, listed) in placed.texts("neighbors").iter().enumerate() {
        let mut nearest: Vec<usize> = (0..TRAINED).collect();
        nearest.sort_by(|&p, &q| apart(&new, i, &fitted, p).total_cmp(&apart(&new, i, &fitted, q)));
        let names: Vec<String> = nearest[..9].iter().map(|j| format!("p{j}")).collect();
        assert_eq!(*listed, names.join(" "), "row {i}");
        let [a, b, c] = [0, 1, 2].map(|entry| covariance[entry][i]);
        assert!(a > 0.0 && a * c > b * b, "row {i}: not a covariance");
        assert!(total[0][i] > a.sqrt() && total[1][i] > c.sqrt(), "row {i}: the neighbours are not known exactly");
    }
    // the map of a row is like those of the points around it
    for (a, slope) in [(1, "x1"), (2, "x2")] {
        let around = loadings.numbers(slope);
        for (f, feature) in FEATURES.into_iter().enumerate() {
            let own = placed.numbers(&format!("d{a}_{feature}"));
            let nearest = |i: usize| {
                let name = placed.rows[i][7].split(' ').next().unwrap()[1..].parse::<usize>().unwrap();
                around[3 * name + f]
            };
            let differ = rms((0..NEW).map(|i| own[i] - nearest(i)));
            assert!(differ < 0.3, "d{a}_{feature} differs by {differ}");
        }
    }
}

#[test]
fn a_row_is_placed_by_itself() {
    let folder = with_model();
    let whole = text(folder.path(), "new.csv");
    let (header, rows) = whole.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let placed = |name: &str, rows: &[&str]| {
        put(folder.path(), name, format!("{header}\n{}\n", rows.join("\n")));
        lines(folder.path(), &format!("{name} --id-column name --label-column side --details"))
    };
    let together = placed("whole.csv", &rows);
    assert_eq!(together.len(), NEW);
    let (first, second) = rows.split_at(23);
    assert_eq!([placed("first.csv", first), placed("second.csv", second)].concat(), together);
    let backwards: Vec<&str> = rows.iter().copied().rev().collect();
    assert_eq!(placed("backwards.csv", &backwards).into_iter().rev().collect::<Vec<_>>(), together);
    for i in [0, 31, NEW - 1] {
        assert_eq!(placed("single.csv", &rows[i..=i]), together[i..=i], "row {i} alone");
    }
    // more than a block
    let many: Vec<&str> = rows.iter().copied().cycle().take(4096 + NEW).collect();
    let expected: Vec<String> = together.iter().cloned().cycle().take(4096 + NEW).collect();
    assert!(placed("many.csv", &many) == expected);
}

/// More than 300 points, since smaller problems take other solvers.
#[test]
fn threads_do_not_change_a_byte() {
    let folder = with_sheet();
    put(folder.path(), "train.csv", sheet(folder.path(), "p", 420, 5));
    let mut differing = Vec::new();
    for arguments in [
        &format!("{FIT} --init pca --max-iter 4 --calibrate 2 --out"),
        "transform 1.safetensors new.csv --details --out",
        "transform 1.safetensors new.csv -k 30 --out",
        "reconstruct 1.safetensors coordinates.csv --out",
        "reconstruct 1.safetensors --leave-one-out --out",
        "reconstruct 1.safetensors --grid 30x30 --image 3x1 --figure 1.svg --out",
        "sample 1.safetensors --n 500 --out",
        "loadings 1.safetensors --each --out",
    ] {
        let ending = if arguments.starts_with("fit") { "safetensors" } else { "csv" };
        for threads in [1, 2] {
            let arguments = arguments.replace("1.svg", &format!("{threads}.svg"));
            run(folder.path(), &format!("{arguments} {threads}.{ending} --threads {threads} --force"));
        }
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        if read(&format!("1.{ending}")) != read(&format!("2.{ending}")) {
            differing.push(arguments.to_owned());
        }
        if arguments.starts_with("transform") {
            put(folder.path(), "coordinates.csv", read("1.csv"));
        }
    }
    assert!(differing.is_empty(), "differ on 1 and 2 threads:\n{}", differing.join("\n"));
    assert!(std::fs::read(folder.path().join("1.svg")).unwrap() == std::fs::read(folder.path().join("2.svg")).unwrap());
}

#[test]
fn features_are_found_by_name_or_by_place() {
    let folder = with_model();
    let new = table(folder.path(), "new.csv");
    let values = numbers(&new, FEATURES);
    let expected = lines(folder.path(), "new.csv");
    let expected = nameless(&expected);
    let written = |columns: &[&str], header: &str, delimiter: &str| {
        let cells: Vec<Vec<String>> = columns.iter().map(|name| new.texts(name)).collect();
        let rows =
            (0..NEW).map(|i| cells.iter().map(|cells| cells[i].clone()).collect::<Vec<_>>().join(delimiter) + "\n");
        header.to_owned() + &rows.collect::<String>()
    };
    let row_major = || (0..NEW).flat_map(|i| [0, 1, 2].map(|f| values[f][i]));
    let column_major = values.iter().flatten().copied();
    let array = npy(&[NEW as u64, 3], row_major());
    let wide: Vec<f64> = (0..NEW).flat_map(|i| [7.0, values[2][i], values[1][i], values[0][i]]).collect();
    for (name, content, more) in [
        ("order.csv", written(&["y3", "side", "y1", "name", "y2"], "y3,side,y1,name,y2\n", ",").into_bytes(), ""),
        ("tabs.tsv", written(&["y2", "y1", "y3"], "y2\ty1\ty3\n", "\t").into_bytes(), ""),
        ("semicolons.csv", written(&["y2", "y1", "y3"], "\u{feff}y2;y1;y3\r\n", ";").into_bytes(), ""),
        ("headerless.csv", written(&FEATURES, "", ",").into_bytes(), ""),
        ("headerless.txt", written(&FEATURES, "", ",").into_bytes(), "--no-header"),
        ("other.csv", written(&["y3", "y2", "y1"], "a,b,c\n", ",").into_bytes(), "--columns c,b,a"),
        ("numbered.csv", written(&["y3", "y2", "y1"], "a,b,c\n", ",").into_bytes(), "--columns 3,2,1"),
        ("wide.npy", npy(&[NEW as u64, 4], wide), "--columns 4,3,2"),
        ("array.npy", array.clone(), ""),
        ("fortran.npy", in_columns(NEW, column_major), ""),
        ("one.npz", npz(&[("points", array.clone())]), ""),
        ("two.npz", npz(&[("points", array), ("others", npy(&[1, 3], [0.0; 3]))]), "--array points"),
    ] {
        put(folder.path(), name, content);
        let found = lines(folder.path(), &format!("{name} {more}"));
        assert!(nameless(&found) == expected, "{name} {more}");
    }
}

/// An array in Fortran's order, whose values come column by column.
fn in_columns(rows: usize, values: impl Iterator<Item = f64>) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({rows}, 3), }}");
    while (10 + header.len()) % 64 != 63 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes(), &values.flat_map(f64::to_le_bytes).collect::<Vec<_>>()]
        .concat()
}

#[test]
fn csv_tsv_and_parquet_hold_the_same_numbers() {
    let folder = with_model();
    let names = "--id-column name --label-column side --details";
    for ending in ["csv", "tsv", "parquet", "tab", "pq", "CSV"] {
        run(folder.path(), &format!("transform m.safetensors new.csv {names} --out t.{ending}"));
        run(folder.path(), &format!("sample m.safetensors --n 40 --out s.{ending}"));
        run(folder.path(), &format!("reconstruct m.safetensors t.{ending} --out from-{ending}.csv"));
        run(folder.path(), &format!("transform m.safetensors s.{ending} --id-column beside --out of-{ending}.csv"));
        for (one, other) in [("from-csv.csv", format!("from-{ending}.csv")), ("of-csv.csv", format!("of-{ending}.csv"))]
        {
            assert_eq!(text(folder.path(), one), text(folder.path(), &other));
        }
    }
    assert_eq!(text(folder.path(), "t.csv").replace(',', "\t"), text(folder.path(), "t.tsv"));
}

#[test]
fn novelty_is_the_share_of_training_points_that_are_less_surprising() {
    let folder = with_model();
    put(folder.path(), "far.csv", "y1,y2,y3\n0,1,9\n-30,1,0\n0,1000,0\n-9999,-9999,-9999\n");
    run(folder.path(), "transform m.safetensors far.csv --out far-out.csv");
    let far = table(folder.path(), "far-out.csv");
    assert_eq!(far.numbers("novelty"), [1.0; 4]);

    let result = run_json(folder.path(), "transform m.safetensors new.csv --out t.csv");
    let placed = table(folder.path(), "t.csv");
    let (novelty, density) = (placed.numbers("novelty"), placed.numbers("log_density"));
    assert!(novelty.iter().all(|share| (0.0..=1.0).contains(share)));
    assert!((0.2..0.8).contains(&mean(novelty.iter().copied())), "typical rows are typical");
    assert!(density.iter().all(|&density| far.numbers("log_density").iter().all(|&far| far < density)));
    let mut order: Vec<usize> = (0..NEW).collect();
    order.sort_by(|&i, &j| density[i].total_cmp(&density[j]));
    assert!(order.windows(2).all(|pair| novelty[pair[0]] >= novelty[pair[1]]), "the less likely, the newer");
    assert_eq!(result["rare"], novelty.iter().filter(|&&share| share > 0.99).count());
}

#[test]
fn the_number_of_neighbours_is_that_of_the_fit_unless_told() {
    let folder = with_model();
    let neighbors = |more: &str| {
        let result =
            run_json(folder.path(), &format!("transform m.safetensors new.csv --details --out t.csv --force {more}"));
        let listed = table(folder.path(), "t.csv").texts("neighbors");
        let k = result["n_neighbors"].as_u64().unwrap() as usize;
        // of separate neighbourhoods the likelier one is kept
        assert!(listed.iter().all(|names| names.split(' ').count() <= k), "{more}");
        assert!(listed.iter().any(|names| names.split(' ').count() == k), "{more}");
        k
    };
    assert_eq!(neighbors(""), 9);
    for k in [1, 2, 30, TRAINED - 1] {
        assert_eq!(neighbors(&format!("-k {k}")), k);
    }
}

#[test]
fn json_tells_what_was_done_and_quiet_says_nothing() {
    let folder = with_model();
    let commands = [
        "transform m.safetensors new.csv",
        "reconstruct m.safetensors --leave-one-out",
        "reconstruct m.safetensors embedding.csv",
        "reconstruct m.safetensors --grid 3x2",
        "sample m.safetensors --n 7",
        "loadings m.safetensors",
    ];
    for (command, rows) in commands.into_iter().zip([NEW, TRAINED, TRAINED, 6, 7, 3]) {
        let outcome = run(folder.path(), &format!("{command} --json --out out.csv --force"));
        assert_eq!((outcome.stdout.trim_end().lines().count(), outcome.stderr.as_str()), (1, ""), "{command}");
        let result: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(result["written"], serde_json::json!(["out.csv"]), "{command}");
        assert_eq!(result["warnings"], serde_json::json!([]), "{command}");
        assert_eq!(table(folder.path(), "out.csv").rows.len(), rows, "{command}");
        let told = ["rows", "n"].into_iter().find_map(|field| result[field].as_u64());
        assert!(told.is_none_or(|told| told == rows as u64), "{command}: {result}");

        let quiet = run(folder.path(), &format!("{command} --quiet --out out.csv --force"));
        assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""), "{command}");
        let loud = run(folder.path(), &format!("{command} --out out.csv --force"));
        assert!(loud.stdout.contains("out.csv") && loud.stderr.is_empty(), "{}", loud.said());
        assert!(!loud.stdout.contains(['\r', '\u{1b}']), "{:?}", loud.stdout);
    }
    let told = run_json(folder.path(), "transform m.safetensors new.csv --out out.csv --force");
    assert_eq!(
        (&told["calibrated"], &told["interrupted"], &told["unsettled"]),
        (&false.into(), &false.into(), &0.into())
    );
    assert!(told["rows_per_second"].as_f64().unwrap() > 0.0);
}

/// Rows in blocks, so that many take no more memory than a few thousand.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_table() {
    let folder = with_sheet();
    let drawn = run(folder.path(), "generate helix --n 100 --seed 1").stdout;
    put(folder.path(), "helix.csv", &drawn);
    run(folder.path(), "fit helix.csv --columns y1:y3 -d 1 -k 6 --init isomap --max-iter 20 --out m.safetensors");
    let points = Columns::parse(&drawn);
    let values = numbers(&points, FEATURES);
    for (name, rows) in [("few", 10_000), ("many", 200_000)] {
        let cells = (0..rows).flat_map(|i| [0, 1, 2].map(|f| values[f][i % 100]));
        put(folder.path(), &format!("{name}.npy"), npy(&[rows as u64, 3], cells));
    }
    let mebibytes = |arguments: &str| {
        let mut child = command(folder.path(), &format!("{arguments} --quiet --force")).spawn().unwrap();
        let status = Path::new("/proc").join(child.id().to_string()).join("status");
        let mut peak = 0.0f64;
        while child.try_wait().unwrap().is_none() {
            let told = std::fs::read_to_string(&status).unwrap_or_default();
            let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
            peak = peak.max(line.trim().trim_end_matches(" kB").parse().unwrap_or(0.0) / 1024.0);
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(child.wait().unwrap().success(), "{arguments}");
        peak
    };
    for (few, many) in [
        ("transform m.safetensors few.npy --out few.csv", "transform m.safetensors many.npy --out many.csv"),
        ("reconstruct m.safetensors few.csv --out out.csv", "reconstruct m.safetensors many.csv --out out.csv"),
        ("sample m.safetensors --n 10000 --out out.csv", "sample m.safetensors --n 200000 --out out.csv"),
    ] {
        let (little, much) = (mebibytes(few), mebibytes(many));
        assert!(little > 1.0 && much < little + 8.0, "{few}: {little} MiB, {many}: {much} MiB");
    }
    assert_eq!(text(folder.path(), "many.csv").lines().count(), 200_001);
}

#[test]
fn coordinates_without_a_name_are_named_after_the_table() {
    let folder = with_model();
    let outcome = run(folder.path(), "transform m.safetensors new.csv");
    assert!(outcome.stdout.contains("wrote new-coordinates.csv"), "{}", outcome.said());
    assert_eq!(table(folder.path(), "new-coordinates.csv").rows.len(), NEW);
}
