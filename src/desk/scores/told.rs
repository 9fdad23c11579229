//! What each indicator claims, how many variants were tried before it was chosen, and what of its record cannot be
//! computed from the bundle.

use super::table::ScoreTable;

/// Indicator, what it claims, variants tried, what is not computed here.
const TOLD: [[&str; 4]; 8] = [
    [
        "RNOW",
        "that this month is a recession month, as a probability, and an alarm",
        "32 sets of inputs and 4 rules of alarm (study)",
        "Markov switching on payrolls, production, income and sales beside it: AUC .928, Brier .070; the NBER's own \
         announcements, from memory: 124 to 336 days after the peak; intervals by block bootstrap (study)",
    ],
    [
        "CRPI",
        "that one of the next twelve months is a recession month, as a probability",
        "not on record",
        "intervals by block bootstrap; each cycle left out in turn, 1973-2024: refitted AUC .919, Brier .108 (study)",
    ],
    [
        "CRPI2",
        "the same as CRPI",
        "57 probits and 14 averages: with the choice left to the data at each month the AUC is .875 to .893 and the Brier \
         score .110 to .123 from 1995, CRPI refitted .840 and .123 (study)",
        "intervals by block bootstrap; each cycle left out in turn, 1973-2024: AUC .954, Brier .082 (study)",
    ],
    [
        "regime",
        "which of four quadrants a month is in, with a probability for each; no recession",
        "5 pairs of errors for the confidence, 2 widths of hysteresis; weights, windows and the forms of the bridges fixed \
         once on the whole sample, so a little hindsight (study)",
        "the nowcast without claims, without gasoline and \
         without both; intervals (study)",
    ],
    [
        "CMSI",
        "how high stress stands among all earlier days; no event and no probability",
        "not on record",
        "the full profile, whose inputs may not be passed on: 78 / -51, -186 / 83, -136 / 136 and 9 / 62 days, four false \
         spells since 1985 (study)",
    ],
    [
        "CNLI",
        "a sum of money; nothing that could come true or fail, so there is no record",
        "none: the definition is the common one",
        "correlation with the S&P 500, whose prices are under copyright: 0.86 of levels, -0.10 of changes over three \
         months (study)",
    ],
    [
        "CRAI",
        "how much risk markets take against their own last two years; no event and no probability",
        "not on record",
        "anything: most inputs are under copyright, and the bundle gives it no value",
    ],
    [
        "NVI",
        "what recent texts were about; nothing that could come true or fail, so there is no record",
        "none",
        "anything: no real run of feeds has been seen",
    ],
];

pub(super) fn tables() -> impl Iterator<Item = ScoreTable> {
    TOLD.into_iter().map(|[indicator, claims, tried, missing]| {
        let mut table =
            ScoreTable::new(indicator, "what stands behind it", &["question", "answer"]);
        for (question, answer) in [
            ("what it claims", claims),
            ("variants tried before this one", tried),
            ("not computed from the bundle", missing),
        ] {
            table.row([question.to_owned(), answer.to_owned()]);
        }
        table
    })
}
