//! The assets of the views.

/// The asset of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Asset {
    /// Bitcoin.
    Btc,
    /// US equities.
    Equities,
    /// WTI crude oil.
    Oil,
    /// Gold.
    Gold,
    /// The dollar against a broad basket.
    Dollar,
    /// 10-year Treasury notes.
    Bonds,
}

impl Asset {
    /// Every asset, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Btc,
        Self::Equities,
        Self::Oil,
        Self::Gold,
        Self::Dollar,
        Self::Bonds,
    ];

    /// Its key, name and series.
    fn definition(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Btc => ("btc", "Bitcoin", &["BTC"]),
            Self::Equities => ("equities", "US equities", &["SPY"]),
            Self::Oil => ("oil", "Oil", &["DCOILWTICO", "MCOILWTICO"]),
            Self::Gold => ("gold", "Gold", &["GLD"]),
            Self::Dollar => ("dollar", "The dollar", &["DTWEXBGS"]),
            Self::Bonds => ("bonds", "10-year Treasuries", &["DGS10"]),
        }
    }

    /// Returns its key in an answer: "equities".
    pub fn key(self) -> &'static str {
        self.definition().0
    }

    /// Returns its name at the beginning of a sentence.
    pub fn name(self) -> &'static str {
        self.definition().1
    }

    /// Returns the series its returns are measured from, the preferred first.
    pub fn series(self) -> &'static [&'static str] {
        self.definition().2
    }
}
