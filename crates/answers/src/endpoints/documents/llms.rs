//! `llms.txt`: what a crawler or a model without tools needs to use the service.

use crate::endpoints::route::Route;
use econoscope_core::indicators::indicators;
use econoscope_core::indicators::prose::capitalised;
use econoscope_data::desk::glossary::Glossary;

/// The text for a base address.
pub fn llms_txt(routes: &[Route], base: &str) -> String {
    let mut endpoints = String::new();
    for route in routes {
        // A call that works, so that who follows the link sees an answer.
        let (title, summary) = (route.spec.title, route.spec.summary);
        let path = route.example_path();
        endpoints += &format!("- [{title}]({base}{path}): {summary}\n");
    }
    let page = include_str!("../../../templates/llms.txt").replace("{base}", base);
    page.replace("{endpoints}\n", &endpoints)
}

/// Everything in one text: each endpoint with its arguments, how the composites are made, what terms mean.
pub fn llms_full(routes: &[Route], base: &str) -> String {
    let mut text = llms_txt(routes, base);
    text.push_str("\n# Endpoints in full\n");
    for route in routes {
        text += &endpoint(route, base);
    }
    text.push_str("\n# How the composites are made\n\n");
    for indicator in indicators() {
        let id = capitalised(indicator.id);
        text += &format!("- {id}: {}.\n", indicator.summary);
    }
    text.push_str("\n# Glossary\n\n");
    for term in Glossary::embedded().iter() {
        let head = term.summary.split_inclusive(". ").next();
        let head = head.unwrap_or_default().trim();
        text += &format!("- {}: {head}\n", term.term);
    }
    text
}

fn endpoint(route: &Route, base: &str) -> String {
    let spec = &route.spec;
    let (title, tool, path, description) = (spec.title, spec.tool, spec.path, spec.description);
    let mut text = format!("\n## {title} (`{tool}`)\n\nGET {base}{path}\n\n{description}\n\n");
    for argument in route.arguments() {
        let word = match argument.is_required {
            true => "required",
            false => "optional",
        };
        text += &format!("- {} ({word}): {}\n", argument.name, argument.meaning);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::ENDPOINTS;

    #[test]
    fn the_full_text_has_every_endpoint_and_argument() {
        let text = llms_full(&ENDPOINTS, "https://x.example");
        for route in ENDPOINTS.iter() {
            assert!(text.contains(&format!("(`{}`)", route.spec.tool)));
            let schema = route.input_schema();
            for (name, _) in schema["properties"].as_object().into_iter().flatten() {
                assert!(text.contains(&format!("- {name} (")), "{name}");
            }
        }
        assert!(text.contains("# Glossary"));
    }
}
