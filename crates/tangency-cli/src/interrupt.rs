//! Ctrl-C: the first one asks the work to end with what it has, the second ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that Ctrl-C ended before its work was whole, as shells have it.
pub const EXIT: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on.
pub fn listen() {
    // where no handler can be set, Ctrl-C ends the program as it always does
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            tangency::io::discard_unfinished();
            std::process::exit(EXIT.into());
        }
    });
}

/// Whether Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
