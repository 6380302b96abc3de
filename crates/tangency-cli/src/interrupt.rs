//! Ctrl-C: the first one asks the work to end with what it has, the second ends the program. Where nothing is there yet that
//! could be kept, and the work does not hear of the first, that one ends the program too.

use crate::say;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The exit code of a program that Ctrl-C ended before its work was whole, as shells have it.
pub const EXIT: u8 = 130;

/// How long work that has nothing to keep may take to hear of Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(700);

static ASKED: AtomicBool = AtomicBool::new(false);
static HEARD: AtomicBool = AtomicBool::new(false);
static KEEPS: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on.
pub fn listen() {
    // where no handler can be set, Ctrl-C ends the program as it always does
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            end();
        }
        say::ending(KEEPS.load(Ordering::Relaxed));
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            if !HEARD.load(Ordering::Relaxed) && !KEEPS.load(Ordering::Relaxed) {
                end();
            }
        });
    });
}

/// Whether there is something now that is worth being kept when Ctrl-C comes, so that the work must hear of it.
pub fn keep(something: bool) {
    KEEPS.store(something, Ordering::Relaxed);
}

/// Whether Ctrl-C was pressed.
pub fn asked() -> bool {
    let asked = ASKED.load(Ordering::Relaxed);
    if asked {
        HEARD.store(true, Ordering::Relaxed);
    }
    asked
}

fn end() {
    tangency::io::discard_unfinished();
    std::process::exit(EXIT.into());
}
