//! One number as a binary file stores it, kept apart by type so that its text loses nothing.

#[derive(Clone, Copy)]
pub(super) enum CellValue {
    Truth(bool),
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

impl CellValue {
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Truth(x) => f64::from(u8::from(x)),
            Self::Signed(x) => x as f64,
            Self::Unsigned(x) => x as f64,
            Self::Single(x) => f64::from(x),
            Self::Double(x) => x,
        }
    }

    pub(super) fn text(self) -> String {
        // Very large and very small numbers would otherwise be written out in hundreds of digits.
        let plain = self.number() == 0.0 || (1e-5..1e16).contains(&self.number().abs());
        match self {
            Self::Truth(x) => x.to_string(),
            Self::Signed(x) => x.to_string(),
            Self::Unsigned(x) => x.to_string(),
            Self::Single(x) if plain || !x.is_finite() => x.to_string(),
            Self::Single(x) => format!("{x:e}"),
            Self::Double(x) if plain || !x.is_finite() => x.to_string(),
            Self::Double(x) => format!("{x:e}"),
        }
    }
}

/// The value of an IEEE half-precision number; every one of them is also a single-precision number.
pub(super) fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}
