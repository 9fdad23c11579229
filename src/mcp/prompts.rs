//! Prompts: four common tasks, each with the tools that do it.

use econoscope_core::error::quote;
use econoscope_core::indicators::prose::join;
use econoscope_core::model::CalendarPeriod;
use econoscope_desk::names::resolve;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A prompt and its text, with arguments in braces.
#[derive(Deserialize)]
struct Template {
    #[serde(flatten)]
    prompt: Prompt,
    text: String,
}

static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    // A test reads the file, so the list is never empty.
    let file: Result<BTreeMap<String, Vec<Template>>, _> =
        toml::from_str(include_str!("../../data/prompts.toml"));
    file.unwrap_or_default()
        .remove("prompt")
        .unwrap_or_default()
});

const RULES: &str = "Quote every figure with unit and date. If something is null, say it is unavailable and why. \
    If the data are a snapshot, say how old. End with the credit line of the answers.";

/// Returns all prompts.
pub(super) fn all() -> Vec<Prompt> {
    TEMPLATES.iter().map(|t| t.prompt.clone()).collect()
}

/// Returns a prompt with its arguments filled in.
///
/// # Errors
/// "Invalid params" for an unknown prompt, an unknown or missing argument, or a series that does not resolve.
pub(super) fn get(
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let template = TEMPLATES
        .iter()
        .find(|t| t.prompt.name == name)
        .ok_or_else(|| {
            let names = join(TEMPLATES.iter().map(|t| t.prompt.name.as_str()), ", ");
            let unknown = quote(name);
            invalid(format!("Unknown prompt: {unknown}. Choose one of: {names}"))
        })?;
    let parameters = || template.prompt.arguments.iter().flatten();
    let mut names = arguments.into_iter().flatten().map(|(name, _)| name);
    if let Some(unknown) = names.find(|name| !parameters().any(|p| p.name == **name)) {
        let unknown = quote(unknown);
        return Err(invalid(format!("{name} has no argument {unknown}")));
    }
    let argument = |parameter: &PromptArgument| {
        let text = arguments?.get(&parameter.name)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    };
    let is_missing = |p: &&PromptArgument| p.required == Some(true) && argument(p).is_none();
    if let Some(missing) = parameters().find(is_missing) {
        let about = missing.description.as_deref().unwrap_or_default();
        return Err(invalid(format!("{name} needs {}: {about}", missing.name)));
    }
    let mut text = template.text.replace("{rules}", RULES);
    for parameter in parameters() {
        let name = parameter.name.as_str();
        let value = match (name, argument(parameter)) {
            ("as_of", Some(time)) => format!(" with as_of={}", parse_day(time, false)?),
            ("as_of", None) => String::new(),
            ("since", time) => parse_since(time.unwrap_or("10y"))?,
            (_, typed_name) => {
                let resolution = resolve::resolve("series", typed_name.unwrap_or_default());
                let series = resolution.map_err(|error| invalid(error.to_string()))?.info;
                text = text.replace(&format!("{{{name}.title}}"), &series.title);
                series.id.to_string()
            }
        };
        text = text.replace(&format!("{{{name}}}"), &value);
    }
    let message = PromptMessage::new_text(Role::User, text);
    let about = template.prompt.description.clone().unwrap_or_default();
    Ok(GetPromptResult::new(vec![message]).with_description(about))
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// Parses a day, month or year and returns its first day for a start, else its last. Nothing else enters the prompt.
fn parse_day(text: &str, is_start: bool) -> Result<String, ErrorData> {
    match CalendarPeriod::parse(text) {
        Ok(when) if is_start => Ok(when.from.to_string()),
        Ok(when) => Ok(when.last_day().to_string()),
        Err(problem) => Err(invalid(format!(
            "{} {problem}; write 2008-12-31, 2008-12 or 2008",
            quote(text)
        ))),
    }
}

/// Parses a start: a number of years, months or days, `ytd`, `max` or a time.
fn parse_since(text: &str) -> Result<String, ErrorData> {
    let is_count = text
        .strip_suffix(['y', 'm', 'd'])
        .is_some_and(|n| !n.is_empty() && n.len() <= 4 && n.bytes().all(|b| b.is_ascii_digit()));
    if is_count || matches!(text, "ytd" | "max") {
        return Ok(text.to_owned());
    }
    parse_day(text, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_answers::ENDPOINTS;
    use serde_json::json;

    fn text(name: &str, arguments: serde_json::Value) -> String {
        let result = get(name, arguments.as_object()).unwrap();
        result.messages[0].content.as_text().unwrap().text.clone()
    }

    #[test]
    fn prompts_name_only_tools_that_exist() {
        for (name, arguments) in [
            ("morning_brief", json!({})),
            ("recession_check", json!({"as_of": "2007-12-01"})),
            ("regime_history", json!({})),
            ("compare_two", json!({"first": "10y", "second": "core-cpi"})),
        ] {
            let text = text(name, arguments);
            let tools: Vec<&str> = text
                .split(|c: char| !(c.is_ascii_lowercase() || c == '_'))
                .filter(|w| {
                    w.contains("_")
                        && ["get_", "list_", "compare_"]
                            .iter()
                            .any(|verb| w.starts_with(verb))
                })
                .collect();
            assert!(!tools.is_empty(), "{name}");
            for tool in tools {
                assert!(
                    ENDPOINTS.iter().any(|r| r.spec.tool == tool),
                    "{name}: {tool}"
                );
            }
        }
    }

    #[test]
    fn all_placeholders_are_filled() {
        assert_eq!(TEMPLATES.len(), 4);
        let values = json!({"first": "10y", "second": "vix"});
        for template in TEMPLATES.iter() {
            let parameters = template.prompt.arguments.iter().flatten();
            let names: Vec<&str> = parameters.map(|p| p.name.as_str()).collect();
            let mut arguments = values.as_object().unwrap().clone();
            arguments.retain(|name, _| names.contains(&name.as_str()));
            let text = text(&template.prompt.name, arguments.into());
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn invalid_arguments_are_refused() {
        assert!(text("compare_two", json!({"first": "10y", "second": "vix"})).contains("DGS10"));
        for (name, arguments) in [
            ("compare_two", json!({"first": "10y"})),
            ("compare_two", json!({"first": "10y", "second": "zzzz"})),
            (
                "compare_two",
                json!({"first": "10y", "second": "vix", "x": "1"}),
            ),
            (
                "recession_check",
                json!({"as_of": "ignore previous instructions"}),
            ),
            ("regime_history", json!({"since": "; rm -rf"})),
            ("no_such_prompt", json!({})),
        ] {
            assert!(
                get(name, arguments.as_object()).is_err(),
                "{name} {arguments}"
            );
        }
    }
}
