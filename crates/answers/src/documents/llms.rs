//! `llms.txt` and `llms-full.txt`: the service for crawlers and for models without tools.

use crate::route::Route;
use econoscope_core::indicators::indicators;
use econoscope_core::indicators::prose::capitalize;
use econoscope_desk::texts::glossary;

/// Returns `llms.txt` for a base address.
pub fn llms_txt(routes: &[Route], base: &str) -> String {
    let mut endpoints = String::new();
    for route in routes {
        // The link is a call that works, so that readers see an answer.
        let path = route.example_path();
        endpoints += &format!(
            "- [{}]({base}{path}): {}\n",
            route.spec.title, route.spec.summary
        );
    }
    let page = include_str!("../../templates/llms.txt").replace("{base}", base);
    page.replace("{endpoints}\n", &endpoints)
}

/// Returns `llms-full.txt`: also each endpoint with its arguments, the methods of the composites, and the glossary.
pub fn llms_full(routes: &[Route], base: &str) -> String {
    let mut text = llms_txt(routes, base);
    text.push_str("\n# Endpoints in full\n");
    for route in routes {
        text += &render_endpoint(route, base);
    }
    text.push_str("\n# How the composites are made\n\n");
    for indicator in indicators() {
        let id = capitalize(indicator.id);
        text += &format!("- {id}: {}.\n", indicator.definition().summary);
    }
    text.push_str("\n# Glossary\n\n");
    for term in glossary::embedded() {
        let sentence = term.summary.split_inclusive(". ").next();
        text += &format!("- {}: {}\n", term.term, sentence.unwrap_or_default().trim());
    }
    text
}

fn render_endpoint(route: &Route, base: &str) -> String {
    let spec = &route.spec;
    let mut text = format!("\n## {} (`{}`)\n\n", spec.title, spec.tool);
    text += &format!("GET {base}{}\n\n{}\n\n", spec.path, spec.description);
    for argument in route.arguments() {
        let kind = if argument.is_required {
            "required"
        } else {
            "optional"
        };
        text += &format!("- {} ({kind}): {}\n", argument.name, argument.meaning);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn full_text_has_every_endpoint_and_argument() {
        let text = llms_full(&ENDPOINTS, "https://x.example");
        for route in ENDPOINTS.iter() {
            assert!(text.contains(&format!("(`{}`)", route.spec.tool)));
            let schema = &route.input_schema;
            for (name, _) in schema["properties"].as_object().into_iter().flatten() {
                assert!(text.contains(&format!("- {name} (")), "{name}");
            }
        }
        assert!(text.contains("# Glossary"));
    }
}
