//! `llms.txt`: what a crawler or a model without tools needs to use the service.

use crate::desk::glossary::Glossary;
use crate::endpoints::{ENDPOINTS, Route};
use serde_json::Value;
use std::fmt::Write;

/// The text for a base address.
pub fn llms_txt(base: &str) -> String {
    let mut text = String::from(
        "# Econoscope\n\n\
        > US macroeconomic data over HTTP and MCP: regime, recession probability, net liquidity, risk appetite, \
        macro stress, metrics, scenarios, glossary and 400+ time series. Free, no key, attribution required.\n\n\
        All endpoints are GET and answer JSON; the time series also CSV. Every figure carries its unit and date; a \
        null has its reason in `notes`. At most 100 requests a day and address (200 for time series).\n\n\
        ## Endpoints\n\n",
    );
    for route in &ENDPOINTS {
        let spec = &route.spec;
        let _ = writeln!(
            text,
            "- [{}]({base}{}): {}",
            spec.title, spec.path, spec.summary
        );
    }
    let _ = write!(
        text,
        "\n## Machine-readable\n\n\
        - [MCP server]({base}/mcp): the same endpoints as tools, streamable HTTP\n\
        - [OpenAPI]({base}/.well-known/openapi.yaml): OpenAPI 3.0.3\n\
        - [Server card]({base}/.well-known/mcp.json)\n\n\
        ## Widgets\n\n\
        - [Regime]({base}/widget/regime): iframe, about 300 by 120\n\
        - [Recession probability]({base}/widget/recession): iframe, about 300 by 140\n\
        - [A metric]({base}/widget/metric/DGS10): iframe, about 250 by 100\n\n\
        ## Attribution\n\n\
        Publish with a visible credit: Data by Econoscope, linked to {base}. Time series are free for \
        non-commercial, educational and research use.\n"
    );
    text
}

/// Everything in one text: each endpoint with its arguments, how the composites are made, what terms mean.
pub fn llms_full(base: &str) -> String {
    let mut text = llms_txt(base);
    text.push_str("\n# Endpoints in full\n");
    for route in &ENDPOINTS {
        endpoint(&mut text, route, base);
    }
    text.push_str("\n# How the composites are made\n\n");
    for line in METHODS {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n# Glossary\n\n");
    let glossary = Glossary::embedded();
    for term in glossary.iter().flat_map(|glossary| glossary.iter()) {
        let head = term.summary.split_inclusive(". ").next();
        let _ = writeln!(text, "- {}: {}", term.term, head.unwrap_or_default().trim());
    }
    text
}

/// One line each; the page of methods says more.
const METHODS: [&str; 5] = [
    "SERVICE_CRPI: probability of a US recession within 12 months, 0 to 100: mean of a probit on the yield curve and one \
     that adds financial conditions and building permits.",
    "SERVICE_CNLI: net liquidity, trillions of USD: Federal Reserve assets less the Treasury's account and reverse repos.",
    "SERVICE_CMSI: macro stress, 0 to 100: credit, volatility, financial conditions, jobless claims and the dollar, each \
     ranked in its own past.",
    "SERVICE_CRAI: risk appetite, 0 to 100, 50 is neutral: prices, volatility and credit spreads against their last two years.",
    "Regime: growth and inflation month by month: GOLDILOCKS, REFLATION, STAGFLATION or DEFLATION.",
];

fn endpoint(text: &mut String, route: &Route, base: &str) {
    let spec = &route.spec;
    let _ = writeln!(
        text,
        "\n## {} (`{}`)\n\nGET {base}{}\n\n{}\n",
        spec.title, spec.tool, spec.path, spec.description
    );
    let schema = route.input_schema();
    let required = schema.get("required").and_then(Value::as_array);
    let arguments = schema.get("properties").and_then(Value::as_object);
    for (name, property) in arguments.into_iter().flatten() {
        let is_required = required.is_some_and(|all| all.iter().any(|n| n == name));
        let word = if is_required { "required" } else { "optional" };
        let about = property.get("description").and_then(Value::as_str);
        let _ = writeln!(text, "- {name} ({word}): {}", about.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_text_has_every_endpoint_and_argument() {
        let text = llms_full("https://x.example");
        for route in &ENDPOINTS {
            assert!(text.contains(&format!("(`{}`)", route.spec.tool)));
            let schema = route.input_schema();
            for (name, _) in schema["properties"].as_object().into_iter().flatten() {
                assert!(text.contains(&format!("- {name} (")), "{name}");
            }
        }
        assert!(text.contains("# Glossary"));
    }
}
