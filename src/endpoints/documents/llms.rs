//! `llms.txt`: what a crawler or a model without tools needs to use the service.

use crate::desk::glossary::{Glossary, Term};
use crate::endpoints::route::Route;
use askama::Template;

#[derive(Template)]
#[template(path = "llms.txt")]
struct Page<'a> {
    routes: &'a [Route],
    base: &'a str,
    is_full: bool,
}

impl Page<'_> {
    fn terms(&self) -> impl Iterator<Item = &'static Term> {
        let glossary = Glossary::embedded();
        glossary.into_iter().flat_map(|glossary| glossary.iter())
    }
}

/// The text for a base address.
pub fn llms_txt(routes: &[Route], base: &str) -> String {
    page(routes, base, false)
}

/// Everything in one text: each endpoint with its arguments, how the composites are made, what terms mean.
pub fn llms_full(routes: &[Route], base: &str) -> String {
    page(routes, base, true)
}

fn page(routes: &[Route], base: &str, is_full: bool) -> String {
    let page = Page {
        routes,
        base,
        is_full,
    };
    page.to_string()
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
