//! `tangency generate`.

use crate::args::GenerateArgs;
use crate::say::Say;
use tangency::generate::Synthetic;
use tangency::io::{Output, write_rows};
use tangency::message::counted;
use tangency::{Error, Result, generate};

/// Runs the command.
pub fn run(args: &GenerateArgs, say: Say) -> Result<()> {
    if args.n == 0 {
        return Err(Error::too_small("n", 0, 1));
    }
    if !(args.noise >= 0.0 && args.noise.is_finite()) {
        return Err(Error::negative("noise", args.noise));
    }
    let output = args.out.as_ref().map(|path| Output::claim(path, args.force)).transpose()?;
    let drawn = generate(args.shape, args.n, args.noise, args.seed);
    let (header, rows) = table(&drawn);
    match output {
        Some(output) => {
            write_rows(&output, &header, rows.into_iter())?;
            let path = output.path().display();
            say.line(&format!("{} of a {} in {path}", counted(args.n, "point"), args.shape));
            say.line(&format!("next: tangency fit {path} --columns y1:y3 -d {}", drawn.truth.ncols()));
            say.result(
                &serde_json::json!({"out": output.path().display().to_string(), "n": args.n, "columns": header}),
            );
        }
        None => {
            let lines: Vec<String> =
                std::iter::once(header.join(",")).chain(rows.iter().map(|r| r.join(","))).collect();
            say.data(&lines.join("\n"));
        }
    }
    Ok(())
}

/// The points as y1…, the true coordinates as true1….
pub fn table(drawn: &Synthetic) -> (Vec<String>, Vec<Vec<String>>) {
    let (points, truth) = (&drawn.points, &drawn.truth);
    let header =
        (1..=points.ncols()).map(|c| format!("y{c}")).chain((1..=truth.ncols()).map(|c| format!("true{c}"))).collect();
    let rows = (0..points.nrows())
        .map(|i| {
            (0..points.ncols())
                .map(|c| points[(i, c)].to_string())
                .chain((0..truth.ncols()).map(|c| truth[(i, c)].to_string()))
                .collect()
        })
        .collect();
    (header, rows)
}
