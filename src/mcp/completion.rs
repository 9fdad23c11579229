//! Completion of arguments: series, terms, indicators, categories and tags, at most 100 at a time.

use super::resources::pages;
use econoscope_core::catalogue::names::Names;
use econoscope_core::model::words::fold;
use econoscope_data::desk::glossary::Glossary;
use econoscope_data::desk::{articles, library, scenarios};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};
use std::collections::BTreeSet;

/// Nothing begins like a longer text, in bytes.
const MAX_TYPED: usize = 200;

/// Values that begin like what was typed, best first.
///
/// # Errors
/// "Invalid params" for a prompt, template or argument that does not exist.
pub(super) fn complete(request: &CompleteRequestParams) -> Result<CompletionInfo, ErrorData> {
    let argument = request.argument.name.as_str();
    if !is_known(&request.r#ref, argument) {
        return Err(ErrorData::invalid_params(
            "Unknown reference or argument; see prompts/list and resources/templates/list",
            None,
        ));
    }
    let typed = request.argument.value.trim();
    if typed.len() > MAX_TYPED {
        return page(Vec::new());
    }
    let all = match argument {
        "seriesId" | "ticker" | "first" | "second" => series(typed),
        "condition" => conditions(typed),
        "slug" => slugs(typed),
        "indicator" => beginning(indicators(), typed),
        "category" => beginning(pages::categories(), typed),
        "tag" => beginning(pages::tags(), typed),
        "scenario" => {
            let known = scenarios::embedded();
            beginning(known.iter().map(|s| s.slug.clone()).collect(), typed)
        }
        "article" => {
            let known = articles::embedded();
            let slugs = known.iter().map(|t| t.article.slug.clone());
            beginning(slugs.collect(), typed)
        }
        "format" => words("json csv", typed),
        "frequency" => words("d w m q a", typed),
        "aggregation" => words("avg sum eop", typed),
        "units" => words("lin chg ch1 pch pc1 pca cch cca log", typed),
        "start" | "since" => words("1y 5y 10y 20y ytd max", typed),
        _ => Vec::new(),
    };
    page(all)
}

/// The first hundred, and how many there are.
fn page(mut all: Vec<String>) -> Result<CompletionInfo, ErrorData> {
    let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let more = all.len() > CompletionInfo::MAX_VALUES;
    all.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(all, Some(total), more)
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

fn words(all: &str, typed: &str) -> Vec<String> {
    beginning(all.split(' ').map(str::to_owned).collect(), typed)
}

fn beginning(mut all: Vec<String>, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    all.retain(|v| v.to_lowercase().starts_with(&typed));
    all
}

fn indicators() -> Vec<String> {
    library::methods()
        .map(econoscope_core::indicators::Indicator::slug)
        .collect()
}

/// Identifiers that begin like it, then those whose alias or title does.
fn series(typed: &str) -> Vec<String> {
    let names = Names::embedded();
    let wanted = fold(typed);
    let begins = |text: &str| fold(text).starts_with(&wanted);
    let known = || names.catalogue().iter();
    let by_id = known().filter(|info| begins(info.id.as_str()));
    // The catalogue lists a total before its parts: CPIAUCSL, CPILFESL and then CPIAPPSL.
    let mut ids: Vec<String> = by_id.map(|info| info.id.to_string()).collect();
    // What it is a name of comes first: "vix" is VIXCLS.
    if let Some(meant) = names.find(typed).map(|info| info.id.to_string()) {
        ids.retain(|id| *id != meant);
        ids.insert(0, meant);
    }
    if !wanted.is_empty() {
        let by_alias = names.aliases().filter(|(alias, _)| begins(alias));
        let by_title = known().filter(|info| info.title.split(' ').any(begins));
        let named = by_alias.map(|(_, info)| info).chain(by_title);
        let named = named.map(|info| info.id.to_string());
        let named: BTreeSet<String> = named.filter(|id| !ids.contains(id)).collect();
        ids.extend(named);
    }
    ids
}

/// Conditions of scenarios, then the series that one may begin with.
fn conditions(typed: &str) -> Vec<String> {
    let known = scenarios::embedded();
    let known = known.iter().filter_map(crate::site::condition_of);
    let mut all = beginning(known.collect(), typed);
    all.sort();
    all.dedup();
    all.extend(series(typed));
    all
}

fn slugs(typed: &str) -> Vec<String> {
    let glossary = Glossary::embedded();
    let typed = typed.to_lowercase();
    let begins = |t: &&econoscope_data::desk::glossary::Term| {
        t.slug.starts_with(&typed) || t.term.to_lowercase().starts_with(&typed)
    };
    glossary
        .iter()
        .filter(begins)
        .map(|t| t.slug.clone())
        .collect()
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
    fn what_was_begun_is_completed() {
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
    fn what_does_not_exist_cannot_be_completed() {
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
