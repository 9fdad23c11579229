//! `robots.txt` and `sitemap.xml`: everything here may be read, and these are the pages to begin with.

use crate::endpoints::route::Route;
use econoscope_core::catalogue::Catalogue;
use econoscope_data::desk::{articles, glossary::Glossary, scenarios};

/// Paths of the sitemap besides the endpoints that need no argument and the pages of single things.
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

/// `robots.txt` for a base address.
pub fn robots(base: &str) -> String {
    // Comparisons and previews are as many as there are questions.
    let endless = "Disallow: /alerts\nDisallow: /cite/\nDisallow: /compare?\nDisallow: /embed?\nDisallow: /suggest\n";
    format!("User-agent: *\nAllow: /\nDisallow: /mcp$\n{endless}\nSitemap: {base}/sitemap.xml\n")
}

/// `sitemap.xml` for a base address.
pub fn sitemap(routes: &[Route], base: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let endpoints = routes.iter().filter(|route| {
        let needs_arguments = route.input_schema().contains_key("required");
        // A search names none of its arguments as required, and still wants one of them.
        let is_search = route.spec.path.ends_with("/search");
        !needs_arguments && !is_search && route.path_arguments().next().is_none()
    });
    let base = base.replace('&', "&amp;").replace('<', "&lt;");
    let paths = PAGES
        .iter()
        .copied()
        .chain(endpoints.map(|route| route.spec.path));
    for path in paths.map(str::to_owned).chain(things()) {
        text += &format!("  <url><loc>{base}{path}</loc></url>\n");
    }
    text + "</urlset>\n"
}

/// A page for each series, term, scenario and article that comes with the program. What of the embedded
/// texts cannot be read is left out here; tests rule it out.
fn things() -> impl Iterator<Item = String> {
    let series = Catalogue::embedded()
        .iter()
        .map(|i| format!("/series/{}", i.id));
    let terms = Glossary::embedded().iter();
    let scenarios = scenarios::embedded().iter();
    let articles = articles::embedded().iter();
    series
        .chain(terms.map(|t| format!("/glossary/{}", t.slug)))
        .chain(scenarios.map(|s| format!("/scenarios/{}", s.slug)))
        .chain(articles.map(|a| format!("/articles/{}", a.article.slug)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::ENDPOINTS;

    #[test]
    fn both_name_the_base_address() {
        assert!(robots("https://x.example").contains("Sitemap: https://x.example/sitemap.xml"));
        let map = sitemap(&ENDPOINTS, "https://x.example");
        assert!(map.contains("<loc>https://x.example/api/public/regime</loc>"));
        assert!(!map.contains('{'), "no path with a blank in it");
    }
}
