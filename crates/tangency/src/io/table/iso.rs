//! Dates and times as ISO 8601 writes them.

/// The date so many days after the first of January 1970.
pub(super) fn date(days: i64) -> String {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    let mut year = 1970 + 400 * days.div_euclid(DAYS_IN_400_YEARS);
    let mut rest = days.rem_euclid(DAYS_IN_400_YEARS);
    let leap_days = |year: i64| i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    while rest >= 365 + leap_days(year) {
        rest -= 365 + leap_days(year);
        year += 1;
    }
    let mut month = 1;
    for days_in_month in [31, 28 + leap_days(year), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < days_in_month {
            break;
        }
        rest -= days_in_month;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

/// The time so many ticks after the beginning of 1970.
pub(super) fn instant(ticks: i64, per_second: i64) -> String {
    let (seconds, fraction) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{}T{}", date(day), time(second, fraction, per_second))
}

/// The time of a day so many ticks after its beginning.
pub(super) fn time_of_day(ticks: i64, per_second: i64) -> String {
    time(ticks.div_euclid(per_second), ticks.rem_euclid(per_second), per_second)
}

fn time(second: i64, fraction: i64, per_second: i64) -> String {
    let mut text = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if fraction > 0 {
        let digits = per_second.ilog10() as usize;
        text.push_str(&format!(".{fraction:0digits$}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_instants_are_written_by_iso_8601() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(19_723), "2024-01-01");
        assert_eq!(date(20_088), "2024-12-31");
        assert_eq!(instant(-1, 1000), "1969-12-31T23:59:59.999");
        assert_eq!(instant(1_700_000_000_000_000, 1_000_000), "2023-11-14T22:13:20");
        assert_eq!(instant(1_700_000_000_000_000_001, 1_000_000_000), "2023-11-14T22:13:20.000000001");
        for extreme in [i64::MIN, i64::MAX] {
            assert!(instant(extreme, 1000).contains('T'));
        }
    }
}
