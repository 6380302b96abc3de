//! Decimals by their digits, so that their text is exact.

/// A signed number of any length, if it is not too large.
pub(super) fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|&byte| byte >= 0x80);
    let (sign, mut number) = if negative { (0xff, -1i128) } else { (0, 0) };
    for &byte in bytes.iter().skip_while(|&&byte| byte == sign) {
        number = number.checked_mul(256)?.checked_add(i128::from(byte))?;
    }
    Some(number)
}

/// A number with so many digits after the point.
pub(super) fn decimal(unscaled: i128, scale: usize) -> String {
    let mut text = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    if scale > 0 {
        text.insert(text.len() - scale, '.');
    }
    if unscaled < 0 {
        text.insert(0, '-');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_digits() {
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(12_345, 2), "123.45");
        assert_eq!(decimal(7, 0), "7");
        assert_eq!(big_endian(&[0xff, 0xfe]), Some(-2));
        assert_eq!(big_endian(&[0x80]), Some(-128));
        assert_eq!(big_endian(&[0x01, 0x00]), Some(256));
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&i128::MIN.to_be_bytes()), Some(i128::MIN));
        assert_eq!(big_endian(&[&[0; 16][..], &[7]].concat()), Some(7));
        assert_eq!(big_endian(&[1; 17]), None);
        assert_eq!(decimal(i128::MIN, 76).len(), 79);
    }
}
