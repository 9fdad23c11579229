//! Where something can be read that an answer points to.

/// Where a page is to be read: below the base address, or as a resource where nothing is listened on.
pub fn address(base: Option<&str>, page: &str, resource: &str) -> String {
    match base {
        Some(base) => format!("{base}{page}"),
        None => format!("macro://{resource}"),
    }
}
