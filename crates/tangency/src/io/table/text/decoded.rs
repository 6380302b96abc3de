//! Text that is checked and put into UTF-8 on its way from a file, so that it need not be in memory at once.

use std::io::{Error, ErrorKind, Read, Result};
use std::ops::Range;
use std::str::from_utf8;

use encoding_rs::{Decoder, Encoding, UTF_8, WINDOWS_1252};

use crate::io::table::csv::records::{UnfitText, not_utf8};

const BUFFER: usize = 1 << 16;

/// The most bytes that a row may take: a quote that is never closed makes one row of the rest of a file.
const LONGEST_ROW: usize = 1 << 28;

/// Bytes of Windows-1252 that are no character.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

enum Reading {
    /// Nothing is known before the first bytes.
    Start,
    /// With whether all characters so far are ASCII, and so the same in Windows-1252.
    Utf8(bool),
    Windows1252,
    Utf16(Box<Decoder>),
}

/// Hands on the text in UTF-8, and gives an error of the kind `InvalidData` with the line where it is no text.
///
/// A byte order mark tells the encoding and is not handed on. Without one it is UTF-8, unless the first character that is not
/// ASCII is none of UTF-8: then it is Windows-1252, which must hold to the end.
pub(in crate::io::table) struct Decoded<R> {
    source: R,
    reading: Reading,
    /// What was read and waits to be decoded.
    raw: Vec<u8>,
    /// What is decoded, and the part of it that waits to be handed on.
    text: Vec<u8>,
    ready: Range<usize>,
    is_over: bool,
    /// What comes after the text that is ready.
    failure: Option<Error>,
    /// Lines that were decoded.
    lines: usize,
    /// Bytes that the present row may still take.
    left: usize,
}

impl<R: Read> Decoded<R> {
    pub(in crate::io::table) fn new(source: R) -> Self {
        let (reading, raw, text) = (Reading::Start, Vec::new(), Vec::new());
        let left = LONGEST_ROW;
        Self { source, reading, raw, text, ready: 0..0, is_over: false, failure: None, lines: 0, left }
    }

    /// To be called before each row.
    pub(in crate::io::table) fn begin_row(&mut self) {
        self.left = LONGEST_ROW;
    }

    /// To be called where all rows go into memory anyway.
    pub(in crate::io::table) fn read_whole(&mut self) -> Result<String> {
        self.left = usize::MAX;
        let mut text = String::new();
        self.read_to_string(&mut text)?;
        Ok(text)
    }

    /// The beginning of the text, about so many bytes of it, which stay to be read.
    pub(in crate::io::table) fn beginning(&mut self, length: usize) -> &[u8] {
        while self.ready.len() < length && !self.is_over && self.failure.is_none() {
            self.refill();
        }
        &self.text[self.ready.clone()]
    }

    /// The encoding, if it is one that was only guessed.
    pub(in crate::io::table) fn guessed(&self) -> Option<&'static str> {
        matches!(self.reading, Reading::Windows1252).then_some("Windows-1252")
    }

    /// Decodes some more, if there is more.
    fn refill(&mut self) {
        self.text.drain(..self.ready.start);
        self.ready = 0..self.text.len();
        if let Err(error) = self.decode_more() {
            self.failure = Some(error);
        }
        let more = &self.text[self.ready.end..];
        self.lines += more.iter().filter(|&&byte| byte == b'\n').count();
        self.ready.end = self.text.len();
    }

    fn decode_more(&mut self) -> Result<()> {
        let held = self.raw.len();
        self.raw.resize(held + BUFFER, 0);
        let read = loop {
            match self.source.read(&mut self.raw[held..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.raw.truncate(held + read.as_ref().unwrap_or(&0));
        self.is_over = read? == 0;
        if matches!(self.reading, Reading::Start) {
            // a byte order mark is up to three bytes long
            if self.raw.len() < 3 && !self.is_over {
                return Ok(());
            }
            let (encoding, length) = Encoding::for_bom(&self.raw).unwrap_or((UTF_8, 0));
            self.raw.drain(..length);
            self.reading = if encoding == UTF_8 {
                Reading::Utf8(true)
            } else {
                Reading::Utf16(Box::new(encoding.new_decoder_without_bom_handling()))
            };
        }
        let before = self.text.len();
        let decoded = match &mut self.reading {
            Reading::Utf16(decoder) => {
                let most = decoder.max_utf8_buffer_length(self.raw.len()).unwrap_or(4 * BUFFER);
                self.text.resize(before + most, 0);
                let (_, read, written, damaged) =
                    decoder.decode_to_utf8(&self.raw, &mut self.text[before..], self.is_over);
                self.text.truncate(before + written);
                self.raw.drain(..read);
                if damaged { Err("is not text in UTF-16, which the file begins as") } else { Ok(()) }
            }
            _ => self.decode_bytes(),
        };
        let more = &self.text[before..];
        let line = 1 + self.lines + more.iter().take_while(|&&byte| byte != 0).filter(|&&byte| byte == b'\n').count();
        if more.contains(&0) {
            self.text.truncate(before);
            return Err(unfit(format!("line {line} holds a zero byte, so it is not text"), SAVE_AS_TEXT));
        }
        decoded.map_err(|problem| match problem {
            NOT_UTF8 => Error::new(ErrorKind::InvalidData, not_utf8(line)),
            problem => unfit(format!("line {line} {problem}"), "save the file in the encoding UTF-8"),
        })
    }

    /// Decodes what is in UTF-8 or, from the first byte on that is not, in Windows-1252.
    fn decode_bytes(&mut self) -> std::result::Result<(), &'static str> {
        if let Reading::Utf8(is_ascii) = self.reading {
            let (valid, broken) = match from_utf8(&self.raw) {
                Ok(text) => (text.len(), None),
                Err(error) => {
                    let at = error.valid_up_to();
                    let cut_short = error.error_len().is_none();
                    // half of a character at the very end is damage
                    let is_broken = !cut_short || self.is_over;
                    (at, is_broken.then_some(cut_short && self.raw.len() - at > 1))
                }
            };
            let is_ascii = is_ascii && self.raw[..valid].is_ascii();
            self.text.extend(self.raw.drain(..valid));
            match broken {
                None => {
                    self.reading = Reading::Utf8(is_ascii);
                    return Ok(());
                }
                Some(damaged) if damaged || !is_ascii => return Err(NOT_UTF8),
                Some(_) => self.reading = Reading::Windows1252,
            }
        }
        // what may be torn apart waits for the rest
        let whole = if self.is_over || self.raw.len() > 2 * BUFFER {
            self.raw.len()
        } else {
            self.raw.iter().rposition(u8::is_ascii).map_or(0, |at| at + 1)
        };
        let bytes: Vec<u8> = self.raw.drain(..whole).collect();
        let odd =
            |byte: &u8| (byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r')) || UNDEFINED.contains(byte);
        // up to the line where it is no longer so
        let mut sound = bytes.len();
        let mut problem = None;
        if let Some(at) = bytes.iter().position(odd) {
            (sound, problem) = (at, Some(NOT_UTF8));
        }
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            let first = chunk.valid().find(|c: char| !c.is_ascii()).map(|place| at + place);
            if let Some(first) = first.filter(|first| *first < sound) {
                (sound, problem) = (first, Some("is in UTF-8, and a line before it is not"));
            }
            at += chunk.valid().len() + chunk.invalid().len();
        }
        self.text.extend(WINDOWS_1252.decode_without_bom_handling(&bytes[..sound]).0.bytes());
        problem.map_or(Ok(()), Err)
    }
}

const NOT_UTF8: &str = "is not UTF-8 text";
const SAVE_AS_TEXT: &str = "save it as comma-separated text in the encoding UTF-8";

fn unfit(problem: String, remedy: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, UnfitText { problem, remedy })
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.left == 0 {
            let problem = format!("a row near line {} is longer than {} MiB", self.lines + 1, LONGEST_ROW >> 20);
            return Err(unfit(problem, "check that every quote before it is closed"));
        }
        while self.ready.is_empty() && !self.is_over && self.failure.is_none() {
            self.refill();
        }
        if self.ready.is_empty() {
            return self.failure.take().map_or(Ok(0), |failure| {
                self.is_over = true;
                Err(failure)
            });
        }
        let count = out.len().min(self.ready.len());
        let end = self.ready.start + count;
        out[..count].copy_from_slice(&self.text[self.ready.start..end]);
        self.ready.start = end;
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    //! Text comes through unchanged however it arrives and in whichever encoding, and what is no text is found on its line.
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
        let read = Decoded::new(Drops(bytes, drop)).read_to_end(&mut out);
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
    fn a_mark_tells_the_encoding() {
        let text = "a,é,漢,🦀\n";
        let in_16 = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(to_bytes).collect()
        };
        for bytes in [format!("\u{feff}{text}").into_bytes(), in_16(u16::to_le_bytes), in_16(u16::to_be_bytes)] {
            for drop in [1, 2, 3, 100] {
                let mut decoded = Decoded::new(Drops(&bytes, drop));
                assert_eq!(decoded.read_whole().unwrap(), text);
                assert_eq!(decoded.guessed(), None);
            }
        }
    }

    #[test]
    fn what_is_no_utf8_from_the_first_such_character_on_is_windows_1252() {
        let bytes = [&b"a\n".repeat(BUFFER)[..], b"caf\xe9,\x80 5,\xfc\xfc"].concat();
        for drop in [1, 2, 4096, usize::MAX] {
            let mut decoded = Decoded::new(Drops(&bytes, drop));
            assert!(decoded.read_whole().unwrap().ends_with("a\ncafé,€ 5,üü"));
            assert_eq!(decoded.guessed(), Some("Windows-1252"));
        }
        assert_eq!(read(b"caf\xe9", 1).0, "café".as_bytes());
    }

    #[test]
    fn what_comes_before_the_damage_is_handed_on() {
        for (damaged, valid, line) in [
            ("é\n\nb".as_bytes(), 5, b"\xff\nc".as_slice()),
            ("é\n\nb".as_bytes(), 5, b"\xc3\nc"),
            (b"a\n\n", 3, b"\xe6\xbc"),
            ("ö\n\n".as_bytes(), 4, b"\xed\xa0\x80"),
            (b"\n\n", 2, b"\x90"),
        ] {
            for drop in [1, 2, 100] {
                let bytes = [damaged, line].concat();
                let (out, read) = read(&bytes, drop);
                assert_eq!(out, &bytes[..valid]);
                assert_eq!(read.unwrap_err().to_string(), not_utf8(3).to_string());
            }
        }
    }

    #[test]
    fn two_encodings_in_one_file_and_bytes_that_are_no_text_are_refused() {
        for (bytes, words) in [
            (b"\xe9\n\xc3\xa9".as_slice(), "line 2 is in UTF-8"),
            (b"a\n\xe9\x01", "line 2 is not UTF-8"),
            (b"a\nb\0", "line 2 holds a zero byte"),
            (b"\xff\xfea\0\0\xd8b\0", "line 1 is not text in UTF-16"),
        ] {
            for drop in [1, 2, 100] {
                let said = read(bytes, drop).1.unwrap_err().to_string();
                assert!(said.contains(words), "{said}");
            }
        }
    }

    #[test]
    fn a_row_without_an_end_is_refused() {
        let mut text = Decoded::new(std::io::repeat(b'a'));
        let error = std::io::copy(&mut text, &mut std::io::sink()).unwrap_err();
        assert!(error.to_string().starts_with("a row near line 1 is longer than 256 MiB"), "{error}");
        text.begin_row();
        assert_eq!(text.read(&mut [0; 10]).unwrap(), 10);
    }
}
