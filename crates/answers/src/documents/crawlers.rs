//! `robots.txt` and `sitemap.xml`.

/// Returns `robots.txt` for a base address.
pub fn robots(base: &str) -> String {
    // Comparisons and previews are unlimited in number. Citations may be read: their readers follow them to a figure.
    let endless = "Disallow: /alerts?\nDisallow: /alerts.\nDisallow: /compare?\nDisallow: /embed?\nDisallow: /suggest\n";
    format!("User-agent: *\nAllow: /\nDisallow: /mcp$\n{endless}\nSitemap: {base}/sitemap.xml\n")
}

/// Returns `sitemap.xml` with these paths for a base address.
pub fn sitemap(paths: impl IntoIterator<Item = String>, base: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let escaped = base.replace('&', "&amp;").replace('<', "&lt;");
    for path in paths {
        text += &format!("  <url><loc>{escaped}{path}</loc></url>\n");
    }
    text + "</urlset>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_and_sitemap_name_the_base_address() {
        assert!(robots("https://x.example").contains("Sitemap: https://x.example/sitemap.xml"));
        let map = sitemap(["/series".to_owned()], "https://x.example?a&b");
        assert!(map.contains("<loc>https://x.example?a&amp;b/series</loc>"));
    }
}
