//! Completes arguments: series, terms, indicators, categories and tags, at most 100 at a time.

use super::resources::pages;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::Indicator;
use econoscope_core::model::words::fold_name;
use econoscope_desk::reference;
use econoscope_desk::texts::glossary;
use econoscope_desk::texts::{articles, scenarios};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use std::collections::BTreeSet;

/// Maximum length of a prefix, in bytes; no value is longer.
const MAX_PREFIX: usize = 200;

/// Returns the values that begin with the typed prefix, best first.
///
/// # Errors
/// "Invalid params" for a prompt, template or argument that does not exist.
pub(super) fn complete(request: &CompleteRequestParams) -> Result<CompletionInfo, ErrorData> {
    let argument = request.argument.name.as_str();
    if !is_known(&request.r#ref, argument) {
        let why = "Unknown reference or argument; see prompts/list and resources/templates/list";
        return Err(ErrorData::invalid_params(why, None));
    }
    let prefix = request.argument.value.trim();
    let mut values = match argument {
        _ if prefix.len() > MAX_PREFIX => Vec::new(),
        "seriesId" | "ticker" | "first" | "second" => series(prefix),
        "condition" => conditions(prefix),
        "slug" => terms(prefix),
        "indicator" => starting_with(prefix, reference::methods().map(Indicator::slug)),
        "category" => starting_with(prefix, pages::categories()),
        "tag" => starting_with(prefix, pages::tags()),
        "scenario" => starting_with(prefix, scenarios::embedded().iter().map(|s| &s.slug)),
        "article" => starting_with(prefix, articles::embedded().iter().map(|t| &t.article.slug)),
        "format" => starting_with(prefix, ["json", "csv"]),
        "frequency" => starting_with(prefix, ["d", "w", "m", "q", "a"]),
        "aggregation" => starting_with(prefix, ["avg", "sum", "eop"]),
        "units" => starting_with(prefix, "lin chg ch1 pch pc1 pca cch cca log".split(' ')),
        "start" | "since" => starting_with(prefix, ["1y", "5y", "10y", "20y", "ytd", "max"]),
        _ => Vec::new(),
    };
    // The first hundred, and the number of all.
    let total = u32::try_from(values.len()).unwrap_or(u32::MAX);
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(values, Some(total), has_more)
        .map_err(|e| ErrorData::internal_error(e, None))
}

fn is_known(reference: &Reference, argument: &str) -> bool {
    match reference {
        Reference::Prompt(prompt) => super::prompts::all().iter().any(|p| {
            p.name == prompt.name && p.arguments.iter().flatten().any(|a| a.name == argument)
        }),
        Reference::Resource(template) => super::resources::templates().iter().any(|t| {
            t.uri_template == template.uri
                && t.uri_template
                    .split(['{', '}', '?', ','])
                    .any(|name| name == argument)
        }),
        _ => false,
    }
}

fn starting_with<T: Into<String>>(
    prefix: &str,
    values: impl IntoIterator<Item = T>,
) -> Vec<String> {
    let lower = prefix.to_lowercase();
    let texts = values.into_iter().map(Into::into);
    texts
        .filter(|value: &String| value.to_lowercase().starts_with(&lower))
        .collect()
}

/// Returns the series with this name, identifiers that begin with the prefix, then those whose alias or a word of whose title
/// does.
fn series(prefix: &str) -> Vec<String> {
    let names = Names::embedded();
    let exact = names.find(prefix);
    let folded = fold_name(prefix);
    let begins = |text: &str| fold_name(text).starts_with(&folded);
    // The catalogue lists a total before its parts: CPIAUCSL, CPILFESL and then CPIAPPSL.
    let catalogue = || names.catalogue().iter();
    let by_id = catalogue().filter(|info| begins(info.id.as_str()));
    let by_name = catalogue()
        .filter(|info| info.title.split(' ').any(begins) || names.aliases_of(info).any(begins));
    let mut seen = BTreeSet::new();
    let all = exact.iter().chain(by_id).chain(by_name);
    let ids = all.map(|info| info.id.to_string());
    ids.filter(|id| seen.insert(id.clone())).collect()
}

/// Returns conditions of scenarios, then the series with which a condition may begin.
fn conditions(prefix: &str) -> Vec<String> {
    let scenarios = scenarios::embedded().iter();
    let of_scenarios = scenarios.filter_map(crate::site::scenario_condition);
    let mut values = starting_with(prefix, of_scenarios);
    values.sort();
    values.dedup();
    values.extend(series(prefix));
    values
}

fn terms(prefix: &str) -> Vec<String> {
    let lower = prefix.to_lowercase();
    let terms = glossary::embedded()
        .iter()
        .filter(|t| t.slug.starts_with(&lower) || t.term.to_lowercase().starts_with(&lower));
    terms.map(|t| t.slug.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ArgumentInfo;

    fn values(reference: Reference, argument: &str, typed: &str) -> Vec<String> {
        let request = CompleteRequestParams::new(reference, ArgumentInfo::new(argument, typed));
        complete(&request).unwrap().values
    }

    #[test]
    fn prefixes_are_completed() {
        let series = |typed| {
            values(
                Reference::for_resource(
                    "macro://series/{seriesId}{?start,end,format,frequency,aggregation,units,as_of}",
                ),
                "seriesId",
                typed,
            )
        };
        let cpi = series("cpi");
        assert_eq!(cpi[..2], ["CPIAUCSL", "CPILFESL"]);
        assert!(cpi.contains(&"CPIAPPSL".to_owned()), "{cpi:?}");
        assert_eq!(series("dgs1")[0], "DGS1");
        assert!(series("dgs1").contains(&"DGS10".to_owned()));
        assert!(series("unempl").contains(&"UNRATE".to_owned()));
        assert_eq!(series("").len(), 100);
        assert!(series("nothing begins like this").is_empty());
        let slug = values(
            Reference::for_resource("macro://glossary/{slug}"),
            "slug",
            "sahm",
        );
        assert!(slug.iter().any(|s| s.starts_with("sahm")), "{slug:?}");
        let first = values(Reference::for_prompt("compare_two"), "first", "VIX");
        assert_eq!(first.first().map(String::as_str), Some("VIXCLS"));
    }

    #[test]
    fn unknown_references_and_arguments_fail() {
        for (reference, argument) in [
            (Reference::for_prompt("no_such_prompt"), "first"),
            (Reference::for_prompt("compare_two"), "third"),
            (Reference::for_resource("macro://else/{x}"), "x"),
        ] {
            let request = CompleteRequestParams::new(reference, ArgumentInfo::new(argument, "a"));
            assert!(complete(&request).is_err());
        }
    }
}
