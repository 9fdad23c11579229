//! Recessions of the United States as dated by the NBER, for shading and for scoring.
//!
//! A recession runs from the month after the peak through the trough, as in the series USREC.

use super::months::Month;
use crate::model::Date;

/// A recession: the month of the peak before it, and the month of the trough, its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recession {
    /// Last month of the expansion before.
    pub peak: Month,
    /// Last month of the recession.
    pub trough: Month,
}

impl Recession {
    /// First day of the recession's first month, the one after the peak.
    pub fn start(self) -> Date {
        self.peak.plus(1).first_day()
    }

    /// Last day of the recession, the end of the trough's month.
    pub fn end(self) -> Date {
        self.trough.last_day()
    }
}

/// Whether a month was one of a recession.
pub fn is_recession(month: Month) -> bool {
    RECESSIONS
        .iter()
        .any(|r| r.peak < month && month <= r.trough)
}

const fn recession(peak: (i32, i32), trough: (i32, i32)) -> Recession {
    Recession {
        peak: Month::new(peak.0, peak.1),
        trough: Month::new(trough.0, trough.1),
    }
}

/// Every recession called so far, the earliest first; none after 2020-04 as of August 2026.
/// Source: NBER, "US Business Cycle Expansions and Contractions".
pub const RECESSIONS: &[Recession] = &[
    recession((1857, 6), (1858, 12)),
    recession((1860, 10), (1861, 6)),
    recession((1865, 4), (1867, 12)),
    recession((1869, 6), (1870, 12)),
    recession((1873, 10), (1879, 3)),
    recession((1882, 3), (1885, 5)),
    recession((1887, 3), (1888, 4)),
    recession((1890, 7), (1891, 5)),
    recession((1893, 1), (1894, 6)),
    recession((1895, 12), (1897, 6)),
    recession((1899, 6), (1900, 12)),
    recession((1902, 9), (1904, 8)),
    recession((1907, 5), (1908, 6)),
    recession((1910, 1), (1912, 1)),
    recession((1913, 1), (1914, 12)),
    recession((1918, 8), (1919, 3)),
    recession((1920, 1), (1921, 7)),
    recession((1923, 5), (1924, 7)),
    recession((1926, 10), (1927, 11)),
    recession((1929, 8), (1933, 3)),
    recession((1937, 5), (1938, 6)),
    recession((1945, 2), (1945, 10)),
    recession((1948, 11), (1949, 10)),
    recession((1953, 7), (1954, 5)),
    recession((1957, 8), (1958, 4)),
    recession((1960, 4), (1961, 2)),
    recession((1969, 12), (1970, 11)),
    recession((1973, 11), (1975, 3)),
    recession((1980, 1), (1980, 7)),
    recession((1981, 7), (1982, 11)),
    recession((1990, 7), (1991, 3)),
    recession((2001, 3), (2001, 11)),
    recession((2007, 12), (2009, 6)),
    recession((2020, 2), (2020, 4)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::testdata;
    use jiff::civil::date;

    #[test]
    fn the_dates_are_those_of_usrec() {
        let set = testdata::load(&["USREC"]);
        let in_recession = |day: Date| {
            RECESSIONS
                .iter()
                .any(|r| r.start() <= day && day <= r.end())
        };
        // The series begins in the last month of a recession whose peak nobody dated.
        for o in &set.get("USREC").unwrap().observations[1..] {
            assert_eq!(in_recession(o.date), o.value == 1.0, "{}", o.date);
        }
    }

    #[test]
    fn a_recession_starts_after_the_peak_and_ends_with_the_trough() {
        let covid = RECESSIONS.last().unwrap();
        assert_eq!(
            (covid.start(), covid.end()),
            (date(2020, 3, 1), date(2020, 4, 30))
        );
    }
}
