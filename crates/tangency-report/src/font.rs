//! The embedded typeface: its bytes, its CSS, and the width of a text set in it.

use std::borrow::Cow;

/// The family name that the figures ask for.
pub(crate) const FAMILY: &str = "Open Sans";
/// The upright face.
pub(crate) const REGULAR: &[u8] = include_bytes!("../assets/OpenSans-Regular.ttf");
/// The face of headings.
pub(crate) const SEMIBOLD: &[u8] = include_bytes!("../assets/OpenSans-Semibold.ttf");

const UNITS_PER_EM: f64 = 2048.0;

/// Advance widths of U+0020 to U+007E in the upright face, in font units.
#[rustfmt::skip]
const ADVANCES: [u16; 95] = [
    532, 547, 821, 1323, 1171, 1686, 1495, 453, 606, 606, 1130, 1171, 502, 659, 545, 752,
    1171, 1171, 1171, 1171, 1171, 1171, 1171, 1171, 1171, 1171, 545, 545, 1171, 1171, 1171, 879,
    1841, 1296, 1327, 1292, 1493, 1139, 1057, 1491, 1511, 571, 547, 1257, 1063, 1849, 1544, 1595,
    1233, 1595, 1266, 1124, 1133, 1491, 1219, 1896, 1182, 1147, 1169, 674, 752, 674, 1110, 918,
    1182, 1139, 1255, 975, 1255, 1149, 694, 1122, 1257, 518, 518, 1075, 518, 1905, 1257, 1237,
    1255, 1255, 836, 977, 723, 1257, 1026, 1593, 1073, 1032, 958, 776, 1128, 776, 1171,
];

/// The semibold face runs this much wider than the upright one.
const SEMIBOLD_WIDENING: f64 = 1.035;

fn advance(character: char) -> f64 {
    let index = (character as usize).checked_sub(0x20);
    let units = match index.and_then(|index| ADVANCES.get(index)) {
        Some(&units) => units,
        None => match character {
            '\u{2009}' => 410,
            '²' | '³' | '¹' | '\u{2070}'..='\u{209C}' => 820,
            '…' => 1606,
            '\u{A0}'..='\u{2BFF}' => 1250,
            // Scripts outside the face come from a fallback, at worst a full em wide.
            _ => 2048,
        },
    };
    f64::from(units) / UNITS_PER_EM
}

/// The width of `text` set at `size`, to within kerning and characters outside ASCII.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let widening = if bold { SEMIBOLD_WIDENING } else { 1.0 };
    text.chars().map(advance).sum::<f64>() * size * widening
}

/// `text`, or as much of its beginning as fits in `room` with an ellipsis after it.
pub(crate) fn fitted(text: &str, size: f64, bold: bool, room: f64) -> Cow<'_, str> {
    if width(text, size, bold) <= room {
        return Cow::Borrowed(text);
    }
    let mut left = room - width("…", size, bold);
    let mut kept = String::new();
    for character in text.chars() {
        left -= width(character.encode_utf8(&mut [0; 4]), size, bold);
        if left < 0.0 {
            break;
        }
        kept.push(character);
    }
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// `text` broken between words into at most `most` lines of the given room, the last cut if it must be.
pub(crate) fn wrapped(text: &str, size: f64, bold: bool, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let full = lines.len() >= most;
        match lines.last_mut() {
            Some(line) if full || width(line, size, bold) + width(word, size, bold) + 0.3 * size <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| fitted(line, size, bold, room).into_owned()).collect()
}

/// CSS that carries the faces inside the document.
pub(crate) fn css(with_semibold: bool) -> String {
    let face = |weight: u32, bytes: &[u8]| {
        format!(
            "@font-face{{font-family:'{FAMILY}';font-weight:{weight};\
             src:url(data:font/ttf;base64,{}) format('truetype')}}",
            base64(bytes)
        )
    };
    let mut css = face(400, REGULAR);
    if with_semibold {
        css.push_str(&face(600, SEMIBOLD));
    }
    css
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0u8; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for place in 0..4 {
            if place > chunk.len() {
                text.push('=');
            } else {
                let sextet = (bits >> (18 - 6 * place)) & 63;
                text.push(char::from(ALPHABET[sextet as usize]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foo"), "Zm9v");
        assert_eq!(base64(&[0xFB, 0xFF, 0xBF, 0x01]), "+/+/AQ==");
    }

    #[test]
    fn lines_break_between_words() {
        let lines = wrapped("one two three four five six seven", 12.0, true, 80.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…') && lines.iter().all(|line| width(line, 12.0, true) <= 80.0));
        assert!(wrapped("", 12.0, false, 80.0, 2).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_to_its_room() {
        assert_eq!(fitted("short", 12.0, false, 100.0), "short");
        let cut = fitted("a label that runs on and on", 12.0, false, 60.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 60.0);
    }
}
