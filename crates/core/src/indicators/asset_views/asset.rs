//! The assets of the views.

/// The asset of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asset {
    /// Key in an answer: "equities".
    pub key: &'static str,
    /// Name at the beginning of a sentence.
    pub name: &'static str,
    /// Series from which its returns are measured, the preferred first.
    pub series: &'static [&'static str],
}

impl Asset {
    /// Every asset, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::new("btc", "Bitcoin", &["BTC"]),
        Self::new("equities", "US equities", &["SPY"]),
        Self::new("oil", "Oil", &["DCOILWTICO", "MCOILWTICO"]),
        Self::new("gold", "Gold", &["GLD"]),
        Self::new("dollar", "The dollar", &["DTWEXBGS"]),
        Self::new("bonds", "10-year Treasuries", &["DGS10"]),
    ];

    const fn new(key: &'static str, name: &'static str, series: &'static [&'static str]) -> Self {
        Self { key, name, series }
    }
}
