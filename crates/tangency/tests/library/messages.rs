//! The library speaks for no front end: no text of it names a flag of the command or an argument of Python.

use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != "tests" {
                found.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && path.file_name().unwrap() != "tests.rs"
        {
            found.push(path);
        }
    }
    found
}

/// The string literals of a source file without its tests. Comments, and the quotes of characters, are passed over.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let after = &rest[at + 1..];
        rest = match rest.as_bytes()[at] {
            b'/' if after.starts_with('/') => after.find('\n').map_or("", |end| &after[end..]),
            b'\'' if after.starts_with("\"'") => &after[2..],
            b'\'' if after.starts_with("\\\"'") => &after[3..],
            b'"' => {
                let mut escaped = false;
                let end = after.find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let end = end.expect("a string ends");
                found.push(after[..end].to_owned());
                &after[end + 1..]
            }
            _ => after,
        };
    }
    found
}

/// Words that belong to one front end.
const FOREIGN: [&str; 6] = ["--", "=True", "=False", "LLLVM", "n_jobs", "lam="];

#[test]
fn no_text_of_the_library_names_a_flag_or_an_argument() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(sources.len() > 100);
    let mut count = 0;
    for path in sources {
        let examples = path.ends_with("message_examples.rs"); // files of users may have any name
        for text in literals(&std::fs::read_to_string(&path).unwrap()) {
            count += 1;
            let text = if examples { text.replace("run--2024.csv", "") } else { text };
            for word in FOREIGN {
                assert!(!text.contains(word), "{}: {word:?} in {text:?}", path.display());
            }
            assert!(!text.contains(" must be such "), "{}: {text:?}", path.display());
        }
    }
    assert!(count > 1000, "{count}");
    let seen =
        literals("let a = '\"'; // \"no\"\nlet b = \"use --flag \\\"x\\\"\"; \n#[cfg(test)]\nmod tests { \"--\" }");
    assert_eq!(seen, ["use --flag \\\"x\\\""]);
}
