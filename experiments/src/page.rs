//! What an experiment writes: a page of Markdown with its tables, and figures beside it.

use crate::{Options, root};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tangency::io::Output;
use tangency::message::Remedy;
use tangency::{Error, Result};
use tangency_report::{Figure, FigureError};

/// The page of one experiment, said on the way and written at the end.
pub struct ResultPage {
    folder: PathBuf,
    name: &'static str,
    text: String,
}

impl ResultPage {
    /// An empty page in the folder of an experiment.
    pub fn new(name: &'static str, options: &Options) -> Result<Self> {
        let folder = options.out.clone().unwrap_or_else(|| root().join("experiments").join(name));
        std::fs::create_dir_all(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
        Ok(Self { folder, name, text: String::new() })
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        println!("{text}\n");
        // writing into a string cannot fail
        let _ = writeln!(self.text, "{text}\n");
    }

    /// A table; the first row is its head.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        let line = |row: &Vec<String>| format!("| {} |", row.join(" | "));
        let rule = rows.first().map(|head| format!("|{}", "---|".repeat(head.len())));
        let lines: Vec<String> =
            rows.iter().take(1).map(line).chain(rule).chain(rows.iter().skip(1).map(line)).collect();
        self.say(&lines.join("\n"));
    }

    /// A figure, named without its ending.
    pub fn figure(&mut self, name: &str, what: &str, figure: std::result::Result<Figure, FigureError>) -> Result<()> {
        let path = self.folder.join(format!("{name}.svg"));
        let figure = figure.map_err(|error| Error::file(&path, format!("cannot be drawn: {error}"), []))?;
        Output::claim(&path, true)?.write(|file| file.write_all(figure.svg().as_bytes()))?;
        println!("wrote {}", path.display());
        self.say(&format!("![{what}]({name}.svg)"));
        Ok(())
    }

    /// Writes the page.
    pub fn finish(self) -> Result<()> {
        let path = self.folder.join("results.md");
        Output::claim(&path, true)?.write(|file| file.write_all(self.text.trim_end().as_bytes()))?;
        println!("wrote {}; `experiments results` puts {} into docs/results.md", path.display(), self.name);
        Ok(())
    }
}

/// The parts of docs/results.md, in order: folder, heading, command.
const PARTS: [(&str, &str, &str); 4] = [
    ("swiss_roll", "Swiss roll (Figure 3)", "swiss-roll"),
    ("short_circuit", "Short-circuits (Figure 4)", "short-circuit"),
    ("usps", "Handwritten digits (Figure 5)", "usps [TABLE]"),
    ("climate", "Weather stations (Figure 6)", "climate [TABLE]"),
];

const OPENING: &str = "# The paper's experiments

Every table and figure here was written by the command above it; `experiments results` put them together. The paragraph that begins
*What it shows* was written by hand. Times are from two
cores of an AMD EPYC. The measures are those of `tangency compare`: *Procrustes* is the distance to the truth after the best
rotation and scale (0 is best), *R²* the share of the truth that an affine map of the coordinates explains, *trust* tells
whether neighbours on the map are neighbours in truth (or, where no truth is known, in the data), with 12 neighbours. What is
needed to repeat them, and where the data come from, is in [experiments](../experiments).

Two models are fitted side by side: *the paper's model* (`--no-graph-likelihood`), and the *default model*, which adds the graph's own
likelihood and takes the largest weight of the features that keeps neighbourhoods. **Their bounds do not compare with each other.** Those of
the default model do not compare between weights, nor between graphs, because to its likelihood the graph is data; where they are
shown against k or graphs, they are shown as they are, with weight 1.
";

/// Writes docs/results.md.
pub fn results(root: &Path) -> Result<()> {
    let mut text = OPENING.to_owned();
    for (folder, heading, command) in PARTS {
        let path = root.join("experiments").join(folder).join("results.md");
        let part = std::fs::read_to_string(&path).map_err(|error| {
            Error::file(&path, format!("cannot be read ({error})"), [Remedy::act("run the experiment first")])
        })?;
        // pictures lie beside the part; what people make of it is written by people
        let part = part.trim().replace("](", &format!("](../experiments/{folder}/"));
        let reading = std::fs::read_to_string(path.with_file_name("reading.md")).unwrap_or_default();
        let reading = if reading.is_empty() { reading } else { format!("{}\n\n", reading.trim()) };
        let _ = write!(
            text,
            "\n## {heading}\n\n```sh\ncargo run --release -p tangency-experiments -- {command}\n```\n\n{reading}{part}\n"
        );
    }
    let path = root.join("docs/results.md");
    Output::claim(&path, true)?.write(|file| file.write_all(text.as_bytes()))?;
    println!("wrote {}", path.display());
    Ok(())
}
