//! `llms.txt`: what a crawler or a model without tools needs to use the service.

use crate::endpoints::ENDPOINTS;
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
