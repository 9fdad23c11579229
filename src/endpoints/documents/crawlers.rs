//! `robots.txt` and `sitemap.xml`: everything here may be read, and these are the pages to begin with.

use crate::endpoints::ENDPOINTS;
use std::fmt::Write;

/// Paths of the sitemap besides the endpoints that need no argument.
const PAGES: [&str; 6] = [
    "/",
    "/llms.txt",
    "/llms-full.txt",
    "/.well-known/openapi.yaml",
    "/widget/regime",
    "/widget/recession",
];

/// `robots.txt` for a base address.
pub fn robots(base: &str) -> String {
    format!("User-agent: *\nAllow: /\nDisallow: /mcp$\n\nSitemap: {base}/sitemap.xml\n")
}

/// `sitemap.xml` for a base address.
pub fn sitemap(base: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let endpoints = ENDPOINTS.iter().filter(|route| {
        let needs_arguments = route.input_schema().contains_key("required");
        !needs_arguments && route.path_arguments().next().is_none()
    });
    let paths = PAGES
        .into_iter()
        .chain(endpoints.map(|route| route.spec.path));
    for path in paths {
        let _ = writeln!(text, "  <url><loc>{}{path}</loc></url>", escaped(base));
    }
    text.push_str("</urlset>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_name_the_base_address() {
        assert!(robots("https://x.example").contains("Sitemap: https://x.example/sitemap.xml"));
        let map = sitemap("https://x.example");
        assert!(map.contains("<loc>https://x.example/api/public/regime</loc>"));
        assert!(!map.contains('{'), "no path with a blank in it");
    }
}
