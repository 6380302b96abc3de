//! Text that is checked on its way from a file, so that it need not be in memory at once.

use std::io::{Error, ErrorKind, Read, Result};
use std::ops::Range;
use std::str::from_utf8;

use crate::io::table::csv::records::{UnfitText, not_utf8};

const BUFFER: usize = 1 << 16;

/// The most bytes that a row may take: a quote that is never closed makes one row of the rest of a file.
const LONGEST_ROW: usize = 1 << 28;

/// Hands on what is UTF-8, and gives an error of the kind `InvalidData` with the line where it no longer is.
pub(super) struct Utf8Text<R> {
    source: R,
    buffer: Vec<u8>,
    /// What is checked and waits to be handed on.
    ready: Range<usize>,
    /// The end of what was read; from `ready` to here stands what may be the beginning of a character.
    filled: usize,
    /// Lines that were checked.
    lines: usize,
    /// Bytes that the present row may still take.
    left: usize,
}

impl<R: Read> Utf8Text<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: vec![0; BUFFER], ready: 0..0, filled: 0, lines: 0, left: LONGEST_ROW }
    }

    /// To be called before each row.
    pub(super) fn begin_row(&mut self) {
        self.left = LONGEST_ROW;
    }

    fn refill(&mut self) -> Result<()> {
        loop {
            self.buffer.copy_within(self.ready.end..self.filled, 0);
            self.filled -= self.ready.end;
            self.ready = 0..0;
            let read = match self.source.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.filled += read;
            let (valid, is_broken) = match from_utf8(&self.buffer[..self.filled]) {
                Ok(text) => (text.len(), false),
                Err(error) => (error.valid_up_to(), read == 0 || error.error_len().is_some()),
            };
            if valid == 0 && is_broken {
                return Err(Error::new(ErrorKind::InvalidData, not_utf8(self.lines + 1)));
            }
            if valid > 0 || read == 0 {
                self.ready = 0..valid;
                self.lines += self.buffer[..valid].iter().filter(|&&byte| byte == b'\n').count();
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Utf8Text<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.left == 0 {
            let problem = format!("a row near line {} is longer than {} MiB", self.lines + 1, LONGEST_ROW >> 20);
            let unfit = UnfitText { problem, remedy: "check that every quote before it is closed" };
            return Err(Error::new(ErrorKind::InvalidData, unfit));
        }
        if self.ready.is_empty() {
            self.refill()?;
        }
        let count = out.len().min(self.ready.len());
        let end = self.ready.start + count;
        out[..count].copy_from_slice(&self.buffer[self.ready.start..end]);
        self.ready.start = end;
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    //! Text comes through unchanged however it arrives, and what is no text is found on its line.
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Gives a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, out: &mut [u8]) -> Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn read(bytes: &[u8], drop: usize) -> (Vec<u8>, Result<usize>) {
        let mut out = Vec::new();
        let read = Utf8Text::new(Drops(bytes, drop)).read_to_end(&mut out);
        (out, read)
    }

    #[test]
    fn characters_may_be_torn_apart() {
        let text = "a,é,漢,🦀\n".repeat(BUFFER / 5);
        for drop in [1, 2, 3, 5, 4096, BUFFER - 1, BUFFER, usize::MAX] {
            let (out, read) = read(text.as_bytes(), drop);
            assert_eq!((out.len(), read.unwrap()), (text.len(), text.len()), "{drop}");
            assert!(out == text.as_bytes());
        }
    }

    #[test]
    fn what_comes_before_the_damage_is_handed_on() {
        for (damaged, valid) in
            [(&b"a\n\nb\xff\nc"[..], 4), (b"a\n\nb\xc3\nc", 4), (b"a\n\n\xe6\xbc", 3), (b"\n\n\xed\xa0\x80", 2)]
        {
            for drop in [1, 2, 100] {
                let (out, read) = read(damaged, drop);
                assert_eq!(out, &damaged[..valid]);
                assert_eq!(read.unwrap_err().to_string(), not_utf8(3).to_string());
            }
        }
    }

    #[test]
    fn a_row_without_an_end_is_refused() {
        let mut text = Utf8Text::new(std::io::repeat(b'a'));
        let error = std::io::copy(&mut text, &mut std::io::sink()).unwrap_err();
        assert!(error.to_string().starts_with("a row near line 1 is longer than 256 MiB"), "{error}");
        text.begin_row();
        assert_eq!(text.read(&mut [0; 10]).unwrap(), 10);
    }
}
