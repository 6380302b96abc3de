//! The bytes of every output are the same on one, two and four threads.

use crate::command::run;
use crate::files::{contents, folder};

#[test]
fn one_two_and_four_threads_write_the_same_bytes() {
    let folder = folder();
    // more than 300 points, since fewer take other ways
    run(folder.path(), "generate swiss-roll --n 320 --noise 0.05 --seed 2 --out t.csv");
    run(folder.path(), "generate swiss-roll --n 50 --noise 0.05 --seed 3 --out new.csv");
    let write = |threads: usize| {
        for arguments in [
            "fit t.csv --columns y1:y3 --init pca --max-iter 3 --out m.safetensors --embedding e.csv --trace t1.csv",
            "fit t.csv --columns y1:y3 --init isomap --max-iter 2 --engine factorised --draws 8 --out f.safetensors",
            "transform m.safetensors new.csv --columns y1:y3 --details --out x.csv",
            "sample m.safetensors --n 40 --out s.parquet",
            "loadings m.safetensors --out l.csv",
            "edges m.safetensors --out g.csv",
            "report m.safetensors --out r.html",
        ] {
            run(folder.path(), &format!("{arguments} --quiet --force --threads {threads}"));
        }
        contents(folder.path())
    };
    let one = write(1);
    for threads in [2, 4] {
        for (name, content) in write(threads) {
            assert!(one[&name] == content, "{name} on {threads} threads");
        }
    }
}
