//! Series of places and groups: what the other words of a name mean for the nation, with its place and group.
//!
//! One rule over the columns `place`, `group` and `whole` of the catalogue. A place or group without such a series has no
//! reading: the nation's series never stands for it.

use super::words::{self, Kind, Token};
use econoscope_core::catalogue::{Catalogue, SeriesPart};
use econoscope_core::indicators::{expression, identities};
use econoscope_core::model::SeriesInfo;
use std::cmp::Reverse;
use std::sync::Arc;

/// Words beside a place or group that tell nothing more.
const BESIDE: [&str; 12] = [
    "state",
    "area",
    "metro",
    "metropolitan",
    "msa",
    "city",
    "region",
    "worker",
    "people",
    "person",
    "american",
    "old",
];

/// The places and groups of a name, and its other words.
pub(super) struct Asked {
    parts: Vec<String>,
    pub(super) rest: Vec<Token>,
    /// The other words without those beside a place or group.
    pub(super) bare: Vec<Token>,
}

impl Asked {
    /// Divides a name; `None` without a place or group.
    pub(super) fn new(tokens: &[Token]) -> Option<Self> {
        let is_part = |token: &&Token| token.kind == Kind::Part;
        let is_beside = |name: &str| BESIDE.contains(&name);
        let all: Vec<&String> = (tokens.iter().filter(is_part))
            .map(|token| &token.text)
            .collect();
        // The state of a city tells nothing more.
        let around = |name: &str| all.iter().any(|p| words::place_around(p) == Some(name));
        let is_told = |name: &&String| !is_beside(name) && !around(name);
        let mut parts: Vec<String> = all.iter().copied().filter(is_told).cloned().collect();
        if parts.is_empty() {
            parts.extend(all.into_iter().cloned());
        }
        let rest: Vec<Token> = tokens.iter().filter(|t| !is_part(t)).cloned().collect();
        let mut bare = rest.clone();
        bare.retain(|token| !is_beside(&token.text));
        (!parts.is_empty()).then_some(Self { parts, rest, bare })
    }

    /// Returns whether a series is exactly of the places and groups asked for.
    fn is_met_by(&self, part: &SeriesPart) -> bool {
        let mut unmet: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        let mut meets = |names: &[&str]| {
            let before = unmet.len();
            unmet.retain(|asked| !names.contains(asked));
            unmet.len() < before
        };
        let is_of_place =
            part.place.is_empty() || meets(&part.place.split('|').collect::<Vec<_>>());
        let mut groups = part.group.split(';').filter(|group| !group.is_empty());
        let is_of_group = groups.all(|group| {
            let bare = group.trim_matches(['(', ')']);
            meets(&[bare]) || bare != group
        });
        is_of_place && is_of_group && unmet.is_empty()
    }

    /// Returns how near a series is to the places and groups asked for: 2 for each that it is of, 1 for each place in or
    /// around which its own is.
    fn nearness(&self, part: &SeriesPart) -> usize {
        let names = || part.place.split('|').chain(part.group.split(';'));
        let near = self.parts.iter().map(|asked| {
            let around = words::place_around(asked);
            let is_inside = |name| words::place_around(name) == Some(asked.as_str());
            let is_near = names().any(|name| is_inside(name) || around == Some(name));
            usize::from(is_near).max(2 * usize::from(names().any(|name| name == *asked)))
        });
        near.sum()
    }

    /// Returns the series that are exactly of the places and groups asked for.
    pub(super) fn series(&self) -> Vec<&'static Arc<SeriesInfo>> {
        let catalogue = Catalogue::embedded();
        let met = catalogue.parts().iter().filter(|part| self.is_met_by(part));
        met.filter_map(|part| catalogue.get(part.id)).collect()
    }

    /// Returns the formulas of the places and groups asked for that measure what the nation's do, with their series: of
    /// the usual reading, or else of all others.
    pub(super) fn formulas(&self, wholes: &Wholes) -> Vec<(String, &'static Arc<SeriesInfo>)> {
        let of = |formula: &str| {
            let tree = expression::parse(formula).ok()?;
            let [(whole, _)] = tree.names()[..] else {
                return None;
            };
            let met = siblings(whole).filter(|part| self.is_met_by(part));
            let formulas = met.filter_map(|part| {
                let info = Catalogue::embedded().get(part.id)?;
                Some((formula.replace(whole, part.id), info))
            });
            Some(formulas.collect::<Vec<_>>()).filter(|formulas| !formulas.is_empty())
        };
        let identity =
            |id: &str| identities::identity(id).and_then(|identity| of(identity.formula));
        let found = |wholes: &[String]| {
            let each = wholes.iter().map(|id| of(id).or_else(|| identity(id)));
            let mut all: Vec<_> = each.flatten().flatten().collect();
            all.dedup();
            all
        };
        let usual = found(&wholes.usual);
        if !usual.is_empty() {
            return usual;
        }
        // Of what a name may mean besides only what is measured alike: "employment of men" is no share.
        let usual = wholes.usual.first();
        let first = usual.and_then(|id| Catalogue::embedded().get(id));
        let unit = |info: &Arc<SeriesInfo>| info.units_short.chars().next();
        let mut others = found(&wholes.others);
        others.retain(|(_, info)| first.is_none_or(|first| unit(first) == unit(info)));
        others
    }

    /// Returns the series nearest to what is asked: that measure the same near by or in part, or else other things there.
    pub(super) fn nearest(&self, wholes: &Wholes) -> Vec<&'static Arc<SeriesInfo>> {
        let formula = |whole: &String| match identities::identity(whole) {
            Some(identity) => inputs(identity.formula),
            None => inputs(whole),
        };
        let inputs: Vec<String> = wholes.iter().flat_map(formula).collect();
        let mut near: Vec<&SeriesPart> = inputs.iter().flat_map(|whole| siblings(whole)).collect();
        near.retain(|part| self.nearness(part) > 0);
        if near.is_empty() {
            let there = Catalogue::embedded().parts().iter();
            near.extend(there.filter(|part| self.nearness(part) > 0));
        }
        near.sort_by_key(|part| {
            let groups = part.group.matches(';').count();
            (Reverse(self.nearness(part)), groups)
        });
        let info = |part: &SeriesPart| Catalogue::embedded().get(part.id);
        near.into_iter().filter_map(info).collect()
    }

    /// Returns the places and groups in words.
    pub(super) fn words(&self) -> String {
        self.parts.join(", ")
    }
}

/// The nation's series or formulas that a name means.
#[derive(Debug, Default)]
pub(super) struct Wholes {
    /// The usual reading; none of an ambiguous name.
    pub(super) usual: Vec<String>,
    /// What the name may mean besides.
    pub(super) others: Vec<String>,
}

impl Wholes {
    pub(super) fn iter(&self) -> impl Iterator<Item = &String> {
        self.usual.iter().chain(&self.others)
    }
}

/// Returns the names in a formula, none for what is no formula.
pub(super) fn inputs(formula: &str) -> Vec<String> {
    let tree = expression::parse(formula).ok();
    let names = tree.iter().flat_map(|tree| tree.names());
    names.map(|(name, _)| name.to_owned()).collect()
}

/// Returns the series of places and groups that measure what one of the nation does.
fn siblings(whole: &str) -> impl Iterator<Item = &'static SeriesPart> {
    let parts = Catalogue::embedded().parts().iter();
    parts.filter(move |part| part.whole.split(';').any(|name| name == whole))
}

#[cfg(test)]
mod tests {
    use super::super::resolve::read;
    use super::super::resolve::tests::columns;
    use super::*;
    use econoscope_core::model::table;
    use std::collections::BTreeSet;

    #[test]
    fn every_series_of_a_place_or_group_is_read_from_the_name_of_its_whole() {
        let catalogue = Catalogue::embedded();
        for part in catalogue.parts() {
            let place = part.place.split('|').next().unwrap();
            let group = part.group.replace(['(', ')'], "").replace(';', " ");
            for whole in part.whole.split(';').take(1) {
                let title = &catalogue.get(whole).unwrap().title;
                for name in [
                    format!("{title} {group} {place}"),
                    format!("{place} {group} {title}"),
                ] {
                    let read = columns(&name);
                    let is_asked = read.contains("ambiguous") && read.contains(part.id);
                    assert!(read == part.id || is_asked, "{name}: {read}");
                }
            }
        }
    }

    #[test]
    fn no_place_or_group_is_read_as_the_nation() {
        let catalogue = Catalogue::embedded();
        let places = table::rows::<6>(include_str!("../../data/places.csv"))
            .flat_map(|(_, row)| row.unwrap()[2].split('|'));
        let groups: BTreeSet<_> = (catalogue.parts().iter())
            .flat_map(|part| part.group.split(';'))
            .map(|group| group.trim_matches(['(', ')']))
            .filter(|group| !group.is_empty())
            .collect();
        for name in places.chain(groups) {
            for whole in [
                "unemployment rate",
                "cpi",
                "house prices",
                "payrolls",
                "gdp",
                "rent",
            ] {
                let name = format!("{name} {whole}");
                let Ok(meaning) = read("series", &name) else {
                    continue;
                };
                let formula = &meaning.columns[0].formula;
                let tree = expression::parse(formula).unwrap();
                let is_local = |(id, _): (&str, usize)| {
                    let title = &catalogue.get(id).unwrap().title;
                    catalogue.parts().iter().any(|part| part.id == id) || title.contains("Euro")
                };
                assert!(tree.names().into_iter().all(is_local), "{name}: {formula}");
            }
        }
    }

    /// Names as people write them, with the series.
    const READ: &[(&str, &str)] = &[
        ("unemployment California", "CAUR"),
        ("CA unemployment rate", "CAUR"),
        ("tx unemployment", "TXUR"),
        ("IN unemployment rate", "INUR"),
        ("unemployment rate in OR", "ORUR"),
        ("Unemployment in ME?", "MEUR"),
        ("OK jobless rate", "OKUR"),
        ("HI house prices", "HISTHPI"),
        ("unemployment rate in the state of Georgia", "GAUR"),
        ("Washington state unemployment rate", "WAUR"),
        ("NYC cpi", "CUURS12ASA0"),
        ("New York CPI", "CUURS12ASA0"),
        ("new york house prices", "NYSTHPI"),
        ("rate of unemployment for Black women 20+", "LNS14000032"),
        ("unemployment rate black women 20 and over", "LNS14000032"),
        ("rate for Black women 20+", "LNS14000032"),
        ("teen unemployment", "LNS14000012"),
        ("youth unemployment rate", "LNS14024887"),
        ("unemployment rate 25-34 year olds", "LNS14000089"),
        (
            "unemployment rate for people with a bachelor's degree",
            "LNS14027662",
        ),
        (
            "unemployment rate college graduates 25 and over",
            "LNS14027662",
        ),
        ("female labor force participation", "LNS11300002"),
        ("Boston CPI", "CUURS11ASA0"),
        ("Boston inflation", "yoy(CUURS11ASA0)"),
        ("Texas unemployment minus US unemployment", "TXUR-UNRATE"),
        ("California and Texas unemployment", "CAUR; TXUR"),
        (
            "unemployment in Texas, California and Florida",
            "TXUR; CAUR; FLUR",
        ),
        ("house prices in Idaho", "IDSTHPI"),
        ("jobs in Nevada", "NVNA"),
        ("Boston, MA unemployment rate", "BOST625URN"),
        ("Boston metro area unemployment", "BOST625URN"),
        ("imports from China", "IMPCH"),
        ("housing starts in the South", "HOUSTS"),
        ("gas price west coast", "GASREGWCW"),
        ("GDP contribution of investment", "A006RY2Q224SBEA"),
        (
            "contribution of consumer spending to GDP growth",
            "DPCERY2Q224SBEA",
        ),
        ("net exports contribution to growth", "A019RY2Q224SBEA"),
        ("price of eggs in 2023", "APU0000708111"),
        ("eggs", "APU0000708111"),
        ("household debt", "CMDEBT"),
        ("household net worth", "TNWBSHNO"),
        ("federal deficit as % of GDP", "FYFSGDA188S"),
        ("median household income", "MEHOINUSA646N"),
        ("rent CPI", "CUSR0000SEHA"),
        ("CPI 3m MA", "ma(CPIAUCSL,3)"),
    ];

    /// Names that are answered with a question, and a word of it.
    const ASKED: &[(&str, &str)] = &[
        ("Texas CPI", "CUURS37ASA0"),
        ("inflation in California", "CUURS49ASA0"),
        ("Ohio inflation", "CUUR0200SA0"),
        ("IN cpi", "of Indiana alone"),
        ("black women unemployment", "LNS14000032"),
        ("unemployment rate for men 45 to 54", "LNS14000093"),
        ("New York unemployment", "NYUR"),
        ("Washington unemployment", "WASH911URN"),
        ("trade with China", "EXPCH"),
        ("Washington DC unemployment rate", "DCUR"),
        ("Texas GDP", "TXUR"),
        ("employment of men", "LNS12300001"),
        ("California", "CASTHPI"),
        ("women", "LNS12300002"),
        ("unemployment rate New York", "NEWY636URN"),
    ];

    #[test]
    fn places_and_groups_are_read_as_people_write_them() {
        for (name, want) in READ {
            assert_eq!(columns(name), *want, "{name}");
        }
        for (name, word) in ASKED {
            let read = columns(name);
            assert!(read.contains(word) && read.contains(' '), "{name}: {read}");
        }
    }
}
