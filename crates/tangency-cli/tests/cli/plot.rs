//! Every kind of figure comes in every format, self-contained, and the same for the same model.

use crate::command::{attempt, run, run_json};
use crate::fitted::{put, text, with_model, with_sheet};
use std::path::Path;

const KINDS: [&str; 6] = ["map", "tangents", "bound", "edges", "loadings", "grid"];

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

/// Draws into an SVG and gives it back.
fn drawn(folder: &Path, arguments: &str) -> String {
    run(folder, &format!("plot m.safetensors {arguments} --out f.svg --force"));
    text(folder, "f.svg")
}

/// Every text of an SVG, unescaped as far as the tests need.
fn texts(svg: &str) -> Vec<String> {
    let pieces = svg.split("<text").skip(1).map(|piece| piece.split("</text>").next().unwrap());
    let plain = |piece: &str| {
        let mut inside = false;
        let letters = piece.chars().filter(|letter| match letter {
            '>' => {
                inside = true;
                false
            }
            '<' => {
                inside = false;
                false
            }
            _ => inside,
        });
        letters.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    pieces.map(plain).collect()
}

fn holds(bytes: &[u8], run: &[u8]) -> bool {
    bytes.windows(run.len()).any(|window| window == run)
}

fn assert_self_contained(svg: &str) {
    let rest = svg.replacen("http://www.w3.org/2000/svg", "", 1);
    for word in ["http", "href", "<script", "<image", "<use", "@import", "file:", "NaN"] {
        assert!(!rest.contains(word), "{word}");
    }
    for (start, _) in rest.match_indices("url(") {
        assert!(rest[start..].starts_with("url(data:font/ttf;base64,"));
    }
}

/// Draws every kind in every format twice and looks at what is written.
fn draw_all(folder: &Path, more: &dyn Fn(&str) -> &'static str) {
    for kind in KINDS {
        for format in ["svg", "png", "pdf"] {
            let arguments = format!("plot m.safetensors --kind {kind} {}", more(kind));
            let told = run_json(folder, &format!("{arguments} --out one.{format} --force"));
            assert_eq!((&told["kind"], &told["written"][0]), (&kind.into(), &format!("one.{format}").into()));
            run(folder, &format!("{arguments} --out two.{format} --force --threads 1"));
            let one = bytes(folder, &format!("one.{format}"));
            assert!(one == bytes(folder, &format!("two.{format}")), "{kind} as {format} differs from run to run");
            match format {
                "svg" => {
                    let svg = String::from_utf8(one).unwrap();
                    assert!(svg.starts_with("<svg ") && svg.contains(" width=\"120mm\""), "{kind}");
                    assert_self_contained(&svg);
                }
                "png" => {
                    assert!(one.starts_with(b"\x89PNG\r\n\x1a\n"), "{kind}");
                    // 120 mm at 288 pixels an inch
                    assert_eq!(u32::from_be_bytes([one[16], one[17], one[18], one[19]]), 1361, "{kind}");
                }
                _ => {
                    assert!(one.starts_with(b"%PDF-"), "{kind}");
                    assert!(holds(&one, b"/FontFile"), "{kind}: the typeface is not embedded");
                }
            }
        }
    }
}

#[test]
fn every_kind_in_every_format() {
    let folder = with_model();
    draw_all(folder.path(), &|_| "");
}

#[test]
fn models_of_one_and_three_coordinates() {
    for d in [1, 3] {
        let folder = with_sheet();
        run(folder.path(), &format!("fit train.csv --columns y1:y3 -d {d} --max-iter 20 --out m.safetensors"));
        draw_all(folder.path(), &|_| "");
    }
}

#[test]
fn models_of_a_few_points_and_of_many_features() {
    let folder = with_sheet();
    let few: String = text(folder.path(), "train.csv").lines().take(4).map(|line| format!("{line}\n")).collect();
    put(folder.path(), "few.csv", few);
    run(folder.path(), "fit few.csv --columns y1:y3 -k 2 --out m.safetensors");
    draw_all(folder.path(), &|_| "");

    let row = |i: usize| {
        let cells = (0..12).map(|f| format!("{:.4}", (0.1 * i as f64 + f as f64).sin() + 0.01 * ((i * f) % 7) as f64));
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let header = (0..12).map(|f| format!("f{f}")).collect::<Vec<_>>().join(",") + "\n";
    put(folder.path(), "wide.csv", header + &(0..60).map(row).collect::<String>());
    for scaling in ["max-abs", "per-feature"] {
        let fit = "fit wide.csv --max-iter 10 --out m.safetensors --force --scaling";
        run(folder.path(), &format!("{fit} {scaling}"));
        draw_all(folder.path(), &|kind| match kind {
            "tangents" => "--columns f0,f3,12",
            "grid" => "--image 3x4 --grid 5x3",
            _ => "",
        });
        let profiles = drawn(folder.path(), "--kind grid --grid 4x4");
        let told = texts(&profiles).join(" ");
        assert_eq!(told.contains("standard deviations, with a band"), scaling == "per-feature", "{told}");
    }
}

#[test]
fn colours_of_a_map() {
    let folder = with_model();
    let map = |more: &str| texts(&drawn(folder.path(), &format!("--kind map {more}")));
    let has = |texts: &[String], word: &str| texts.iter().any(|text| text == word);
    let labelled = map("");
    assert!(has(&labelled, "low") && has(&labelled, "high") && has(&labelled, "label"), "{labelled:?}");
    assert_eq!(labelled, map("--colour label"));
    assert!(has(&map("--colour y2"), "y2") && has(&map("--color 2"), "y2"));
    assert!(has(&map("--colour uncertainty"), "standard deviation"));
    let plain = map("--colour none");
    assert!(!has(&plain, "low") && !has(&plain, "y2"), "{plain:?}");
    assert!(has(&map("--title A<b>&c"), "A<b>&c"));

    // labels that are all numbers and many are a scale
    let fit = "fit train.csv --columns y1:y3 --max-iter 5 --force --out m.safetensors --label-column";
    run(folder.path(), &format!("{fit} true1"));
    assert!(map("").len() < 40);
    run(folder.path(), &format!("{fit} name"));
    assert!(has(&map(""), "137 others"));
}

#[test]
fn options_of_the_other_kinds() {
    let folder = with_model();
    let count = |arguments: &str, what: &str| drawn(folder.path(), arguments).matches(what).count();
    // three faces of the box and a square a point
    assert_eq!(count("--kind tangents", "Z\""), 3 + 160);
    assert_eq!(count("--kind tangents --every 10", "Z\""), 3 + 16);
    assert_ne!(drawn(folder.path(), "--kind tangents"), drawn(folder.path(), "--kind tangents --view -20,40"));
    let swapped = texts(&drawn(folder.path(), "--kind tangents --columns y3,y1,y2"));
    assert!(swapped.contains(&"y3".to_owned()));
    // each marked edge has a point at both ends
    let circles = count("--kind edges", "<circle");
    assert_eq!((circles, count("--kind edges --top 5", "<circle")), (160 + 40, 160 + 10));

    let bars = texts(&drawn(folder.path(), "--kind loadings --top 1 --region x1=-1:0.5 --label low"));
    let names = ["y1", "y2", "y3"].map(|name| bars.iter().filter(|text| *text == name).count());
    assert_eq!(names.iter().sum::<usize>(), 2, "{bars:?}");
    let said = run(folder.path(), "loadings m.safetensors --top 1 --region x1=-1:0.5 --label low").stdout;
    let choice = said.lines().next().unwrap();
    assert!(bars.join(" ").contains(choice), "{choice} is not in {bars:?}");
    let one = texts(&drawn(folder.path(), "--kind loadings --point p7"));
    assert!(one.join(" ").contains("point p7"), "{one:?}");
}

#[test]
fn the_size_is_what_was_asked_for() {
    let folder = with_model();
    let side = |arguments: &str| {
        run(folder.path(), &format!("plot m.safetensors --kind map {arguments} --out f.png --force"));
        let png = bytes(folder.path(), "f.png");
        u32::from_be_bytes([png[16], png[17], png[18], png[19]])
    };
    assert_eq!(side("--width 85 --scale 1"), 321);
    assert_eq!(side("--width 254 --scale 2"), 1920);
    assert_eq!(side("--width 50"), 567);
    assert!(drawn(folder.path(), "--kind bound --width 85.5").contains(" width=\"85.5mm\""));
}

/// Ids, labels and names of features may hold anything.
#[test]
fn names_are_text_and_never_markup() {
    let folder = with_sheet();
    let odd = text(folder.path(), "train.csv").replace("y1,y2", "<b>y</b>,a&b").replace("low", "<script>x</script>");
    put(folder.path(), "train.csv", odd);
    run(folder.path(), "fit train.csv --label-column side --columns 3:5 --max-iter 5 --out m.safetensors");
    for (kind, word) in [("map", "<script>x</script>"), ("tangents", "<b>y</b>"), ("loadings", "a&b")] {
        let svg = drawn(folder.path(), &format!("--kind {kind} --title \"><img"));
        assert_self_contained(&svg);
        assert!(!svg.contains("<img") && texts(&svg).contains(&word.to_owned()), "{kind}: {:?}", texts(&svg));
    }
}

/// A model from before the parts of the bound were kept still has a history.
#[test]
fn a_history_without_parts() {
    let folder = with_model();
    let model = bytes(folder.path(), "m.safetensors");
    let (length, rest) = model.split_at(8);
    let size = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&rest[..size]).unwrap();
    let mut about: serde_json::Value =
        serde_json::from_str(header["__metadata__"]["tangency"].as_str().unwrap()).unwrap();
    for point in about["trace"].as_array_mut().unwrap() {
        point.as_object_mut().unwrap().remove("parts");
    }
    header["__metadata__"]["tangency"] = about.to_string().into();
    let header = header.to_string().into_bytes();
    let old = [&(header.len() as u64).to_le_bytes()[..], &header, &rest[size..]].concat();
    let whole = texts(&drawn(folder.path(), "--kind bound"));
    put(folder.path(), "m.safetensors", old);
    let without = texts(&drawn(folder.path(), "--kind bound"));
    let has = |texts: &[String], word: &str| texts.iter().any(|text| text == word);
    assert!(has(&whole, "likelihood") && has(&whole, "bound, nats"), "{whole:?}");
    assert!(!has(&without, "likelihood") && has(&without, "bound, nats"), "{without:?}");
}

#[test]
fn a_figure_is_not_overwritten_unasked() {
    let folder = with_model();
    run(folder.path(), "plot m.safetensors --kind map --out f.svg");
    let again = attempt(folder.path(), "plot m.safetensors --kind map --out f.svg");
    assert_eq!(again.code, Some(2), "{}", again.said());
    run(folder.path(), "plot m.safetensors --kind map --out f.svg --force --quiet");
}

#[test]
fn a_figure_without_a_name_is_a_map_named_after_the_model() {
    let folder = with_model();
    let told = run_json(folder.path(), "plot m.safetensors");
    assert_eq!((&told["kind"], &told["written"][0]), (&"map".into(), &"m-map.svg".into()));
    assert_eq!(run_json(folder.path(), "plot m.safetensors --kind bound")["written"][0], "m-bound.svg");
    // one that is there is not overwritten
    assert!(attempt(folder.path(), "plot m.safetensors").stderr.contains("m-map.svg"));
}
