//! `robots.txt` and `sitemap.xml`.

use crate::route::Route;
use econoscope_core::catalogue::Catalogue;
use econoscope_data::desk::{articles, glossary, scenarios};

/// Pages of the sitemap, besides endpoints without arguments and the pages of single items.
const PAGES: &[&str] = &[
    "/",
    "/series",
    "/compare",
    "/regime",
    "/calendar",
    "/calendar.ics",
    "/embed",
    "/scenarios",
    "/methods",
    "/rights",
    "/glossary",
    "/articles",
    "/llms.txt",
    "/llms-full.txt",
    "/.well-known/openapi.yaml",
    "/widget/regime",
    "/widget/recession",
];

/// Returns `robots.txt` for a base address.
pub fn robots(base: &str) -> String {
    // Comparisons and previews are unlimited in number.
    let endless = "Disallow: /alerts\nDisallow: /cite/\nDisallow: /compare?\nDisallow: /embed?\nDisallow: /suggest\n";
    format!("User-agent: *\nAllow: /\nDisallow: /mcp$\n{endless}\nSitemap: {base}/sitemap.xml\n")
}

/// Returns `sitemap.xml` for a base address.
pub fn sitemap(routes: &[Route], base: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let endpoints = routes.iter().filter(|route| {
        let needs_arguments = route.input_schema().contains_key("required");
        // The schema of the search requires no argument, but the search needs one.
        let is_search = route.spec.path.ends_with("/search");
        !needs_arguments && !is_search && route.path_arguments().next().is_none()
    });
    let endpoint_paths = endpoints.map(|route| route.spec.path);
    let escaped = base.replace('&', "&amp;").replace('<', "&lt;");
    let paths = PAGES
        .iter()
        .copied()
        .chain(endpoint_paths)
        .map(str::to_owned);
    for path in paths.chain(item_paths()) {
        text += &format!("  <url><loc>{escaped}{path}</loc></url>\n");
    }
    text + "</urlset>\n"
}

/// The page of each series, term, scenario and article in the binary.
fn item_paths() -> impl Iterator<Item = String> {
    let series = Catalogue::embedded().iter();
    let terms = glossary::embedded().iter();
    let scenarios = scenarios::embedded().iter();
    let articles = articles::embedded().iter();
    series
        .map(|info| format!("/series/{}", info.id))
        .chain(terms.map(|t| format!("/glossary/{}", t.slug)))
        .chain(scenarios.map(|s| format!("/scenarios/{}", s.slug)))
        .chain(articles.map(|a| format!("/articles/{}", a.article.slug)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn robots_and_sitemap_name_the_base_address() {
        assert!(robots("https://x.example").contains("Sitemap: https://x.example/sitemap.xml"));
        let map = sitemap(&ENDPOINTS, "https://x.example");
        assert!(map.contains("<loc>https://x.example/api/public/regime</loc>"));
        assert!(!map.contains('{'), "no path with a blank in it");
    }
}
