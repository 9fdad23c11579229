//! Series that a feed has besides those listed, by the form of their identifiers.

use super::shape::{Condition, Feed, FormatEvidence, SeriesRecipe};
use super::{FeedRef, Recipe, Recipes};
use crate::catalogue::Catalogue;
use crate::model::SeriesId;
use serde::Deserialize;
use std::sync::Arc;

/// The forms of the identifiers of further series of a feed, and where their figures are in a response.
///
/// In a form `#` is a digit, `?` a letter or digit, `[SU]` one of these, and `*` one or more characters. In the other texts
/// `{0}` is the identifier, and `{1}` and `{2}` are what the first and the second `*` stand for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnySeries {
    /// The forms.
    pub like: Vec<String>,
    /// Its column, key or name in the response.
    #[serde(default = "whole")]
    pub field: String,
    /// Value of `{series}` in the URL.
    #[serde(default = "whole")]
    pub key: String,
    /// Conditions that a row must meet.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Whether the source spells its names in lower case.
    #[serde(default)]
    pub lower_case: bool,
}

fn whole() -> String {
    "{0}".to_owned()
}

/// Returns what each `*` of a form stands for; `None` for a text of another form.
fn captures<'t>(form: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut rest = form.chars();
    let Some(first) = rest.next() else {
        return text.is_empty().then(Vec::new);
    };
    let form_left = rest.as_str();
    let character = text.chars().next()?;
    let left = text.get(character.len_utf8()..)?;
    let if_met = |is_met: bool, form_left: &str| {
        let all = is_met.then(|| captures(form_left, left));
        all.flatten()
    };
    match first {
        '*' => (1..=text.len()).rev().find_map(|end| {
            let taken = text.get(..end)?;
            let mut all = captures(form_left, text.get(end..)?)?;
            all.insert(0, taken);
            Some(all)
        }),
        '#' => if_met(character.is_ascii_digit(), form_left),
        '?' => if_met(character.is_ascii_alphanumeric(), form_left),
        '[' => {
            let (set, after) = form_left.split_once(']')?;
            if_met(set.contains(character), after)
        }
        literal => if_met(literal == character, form_left),
    }
}

impl Feed {
    /// Returns the recipe of a series that is not listed, if its identifier has a form of this feed.
    fn unlisted(&self, id: &SeriesId) -> Option<SeriesRecipe> {
        let any = self.any.as_ref()?;
        let mut forms = any.like.iter();
        let found = forms.find_map(|form| captures(form, id.as_str()))?;
        let parts = std::iter::once(id.as_str()).chain(found);
        let mut names: Vec<String> = parts.map(str::to_owned).collect();
        if any.lower_case {
            names
                .iter_mut()
                .for_each(|name| name.make_ascii_lowercase());
        }
        let fill = |template: &String| {
            let parts = names.iter().enumerate();
            parts.fold(template.clone(), |text, (index, name)| {
                text.replace(&format!("{{{index}}}"), name)
            })
        };
        let conditions = any.conditions.iter().map(|condition| Condition {
            field: condition.field.clone(),
            is: fill(&condition.is),
        });
        Some(SeriesRecipe {
            id: id.clone(),
            field: fill(&any.field),
            key: fill(&any.key),
            conditions: conditions.collect(),
            evidence: Some(FormatEvidence::Others),
            scale: None,
            decimals: None,
            min: None,
            max: None,
            from: None,
            last_of: None,
            unit: None,
            multiplier: None,
            set: None,
            title: None,
            units: None,
            frequency: None,
        })
    }
}

impl Recipes {
    /// Returns the recipes with a route for each of these series that has none, where its identifier has the form of a
    /// source. A series of the catalogue has those that are listed.
    pub fn with_requested<'i>(
        self: &Arc<Self>,
        ids: impl IntoIterator<Item = &'i SeriesId>,
    ) -> Arc<Self> {
        let mut all = Arc::clone(self);
        for id in ids {
            let is_outside = Catalogue::embedded().get(id.as_str()).is_none();
            if is_outside && all.routes(id).next().is_none() && all.form_of(id).is_some() {
                let feeds = |recipe: &mut Recipe| {
                    for feed in &mut recipe.feeds {
                        let series = feed.unlisted(id);
                        feed.series.extend(series);
                    }
                };
                Arc::make_mut(&mut all).recipes.iter_mut().for_each(feeds);
            }
        }
        all
    }

    /// Returns the first feed one of whose forms an identifier has, whether or not there is such a series.
    pub fn form_of(&self, id: &SeriesId) -> Option<FeedRef<'_>> {
        self.feeds().find(|route| route.feed.unlisted(id).is_some())
    }

    /// Returns the series by which a feed lists what an identifier of an agency names: UNRATE for LNS14000000.
    pub fn listed_as(&self, id: &SeriesId) -> Option<&SeriesId> {
        self.feeds().find_map(|route| {
            let named = route.feed.unlisted(id)?;
            let mut listed = route.feed.series.iter();
            let found = listed.find(|series| {
                series.field == named.field && series.key.is_empty() && series.conditions.is_empty()
            });
            found.map(|series| &series.id)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(id: &str) -> Option<String> {
        let id = SeriesId::new(id).unwrap();
        Recipes::embedded().form_of(&id).map(|route| route.name())
    }

    #[test]
    fn identifiers_of_agencies_have_their_feed_and_words_have_none() {
        for (id, feed) in [
            ("LNS14000036", "bls/surveys"),
            ("LASST060000000000003", "bls/surveys"),
            ("LAUMT063108000000003", "bls/surveys"),
            ("CES0500000003", "bls/surveys"),
            ("SMS06000000000000001", "bls/surveys"),
            ("CUUR0000SEHA", "bls/surveys"),
            ("CUUSA101SA0", "bls/surveys"),
            ("CUURS49ASA0", "bls/surveys"),
            ("APU0000708111", "bls/surveys"),
            ("JTS000000120000000JOR", "bls/surveys"),
            ("WPU0561", "bls/surveys"),
            ("PCU3361--3361--", "bls/surveys"),
            ("CIU1010000000000A", "bls/surveys"),
            ("PRS85006092", "bls/surveys"),
            ("bea:A007RX.Q", "bea/nipa_q"),
            ("bea:A007RX.M", "bea/nipa_m"),
            ("bea:A007RX.A", "bea/nipa_a"),
            ("board:Z1/FL152090005.Q", "fed_board/z1"),
            ("board:H8/B1001NCBAM", "fed_board/h8_monthly"),
            ("eia:PET.RWTC.D", "eia/by_id"),
            (
                "cbo:ten_year_budget/chg_deficit_net_total@2026-02",
                "cbo/ten_year_budget",
            ),
        ] {
            assert_eq!(form(id).as_deref(), Some(feed), "{id}");
        }
        for word in [
            "JOLTS",
            "LNS1400003",
            "LNS140000361",
            "GNPCA",
            "CUUR",
            "WPU",
            "BEA",
            "PRSX",
            "bea:A007RX",
            "board:H8",
        ] {
            assert_eq!(form(word), None, "{word}");
        }
    }

    #[test]
    fn series_that_are_listed_are_not_fetched_twice() {
        for (id, listed) in [
            ("LNS14000000", "UNRATE"),
            ("bea:A191RX.Q", "GDPC1"),
            ("board:H15/RIFLGFCY10_N.B", "DGS10"),
        ] {
            let found = Recipes::embedded().listed_as(&SeriesId::new(id).unwrap());
            assert_eq!(found.map(SeriesId::as_str), Some(listed), "{id}");
        }
    }

    #[test]
    fn requested_series_gets_the_route_of_its_form_and_a_listed_one_keeps_its_own() {
        let names = [
            "CBO:TEN_YEAR_BUDGET/CHG_DEFICIT_NET_TOTAL@2026-02",
            "UNRATE",
            "JOLTS",
        ];
        let ids = names.map(|id| SeriesId::new(id).unwrap());
        let recipes = Recipes::embedded().with_requested(&ids);
        let route = recipes.routes(&ids[0]).next().unwrap();
        let series = route.feed.series.iter().find(|s| s.id == ids[0]).unwrap();
        assert_eq!(
            (series.field.as_str(), series.key.as_str()),
            ("value", "2026-02")
        );
        assert_eq!(series.conditions[0].is, "chg_deficit_net_total");
        let count = |id| Recipes::routes(&recipes, id).count();
        assert_eq!(count(&ids[1]), Recipes::embedded().routes(&ids[1]).count());
        assert_eq!(count(&ids[2]), 0);
    }
}
