//! Converts the entries of a feed to articles.

use super::Feed;
use crate::store::Article;
use econoscope_core::model::{table, untrusted};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use sha2::Digest;
use std::sync::LazyLock;
use url::Url;

/// Most entries of a feed; later ones are ignored.
const MAX_ENTRIES: usize = 200;
const MAX_TITLE: usize = 200;
const MAX_SUMMARY: usize = 600;

/// Parser of RSS dates (RFC 2822). Some feeds have a wrong day of the week.
const RSS_DATES: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// Topics, each with the terms that mark an article as being about it. Scenarios find their articles by these topics.
pub(super) static TOPICS: LazyLock<Vec<[&str; 2]>> =
    LazyLock::new(|| table::embedded(include_str!("../../../data/topics.csv")).collect());

/// An entry of either format.
struct Entry {
    title: String,
    link: String,
    published: Timestamp,
    text: String,
}

/// Returns the articles of a feed. Skips entries without a title, a date or a link to the feed's own site.
///
/// # Errors
/// Why the body is no feed.
pub fn articles(feed: &Feed, body: &[u8], now: Timestamp) -> Result<Vec<Article>, String> {
    let entries: Vec<Option<Entry>> = match rss::Channel::read_from(body) {
        Ok(channel) => channel.items.into_iter().map(rss_entry).collect(),
        // The root element is not that of RSS.
        Err(rss::Error::InvalidStartTag) => {
            let atom = atom_syndication::Feed::read_from(body).map_err(|e| e.to_string())?;
            atom.entries.into_iter().map(atom_entry).collect()
        }
        Err(error) => return Err(error.to_string()),
    };
    let first_entries = entries.into_iter().take(MAX_ENTRIES).flatten();
    let articles = first_entries.filter_map(|entry| article(feed, &entry, now));
    Ok(articles.collect())
}

fn rss_entry(item: rss::Item) -> Option<Entry> {
    // RSS 1.0 dates its items by Dublin Core.
    let dublin_core = item
        .dublin_core_ext
        .as_ref()
        .and_then(|core| core.dates.first()?.parse().ok());
    let published = item.pub_date.as_deref().and_then(|day| {
        let timestamp = RSS_DATES.parse_timestamp(day.trim());
        timestamp.or_else(|_| day.trim().parse()).ok()
    });
    Some(Entry {
        title: item.title?,
        link: item.link?,
        published: published.or(dublin_core)?,
        text: item.description.or(item.content).unwrap_or_default(),
    })
}

fn atom_entry(entry: atom_syndication::Entry) -> Option<Entry> {
    let published = entry.published.unwrap_or(entry.updated).timestamp();
    let summary = entry.summary.map(|text| text.value);
    let text = summary.or_else(|| entry.content.and_then(|content| content.value));
    let mut links = entry.links.into_iter();
    Some(Entry {
        link: links.find(|link| link.rel == "alternate")?.href,
        published: Timestamp::from_second(published).ok()?,
        text: text.unwrap_or_default(),
        title: entry.title.value,
    })
}

fn article(feed: &Feed, entry: &Entry, now: Timestamp) -> Option<Article> {
    let title = untrusted::clean_line(&entry.title, MAX_TITLE);
    let url = article_url(feed, &entry.link)?;
    if title.is_empty() {
        return None;
    }
    let summary = untrusted::clean_line(&entry.text, MAX_SUMMARY);
    let tags = tags(feed, &format!("{title} {summary}"));
    // The link identifies the article; some feeds renumber their entries.
    let hash = sha2::Sha256::digest(canonical_url(&url).as_bytes());
    let id: String = hash.iter().take(12).map(|b| format!("{b:02x}")).collect();
    Some(Article {
        slug: slug(&title, &id),
        id,
        subtitle: None,
        topic: tags.first().cloned(),
        summary: (!summary.is_empty()).then_some(summary),
        tags,
        // An article dated in the future must not stay on top until then.
        published_at: entry.published.min(now),
        url: url.into(),
        source: feed.name.clone(),
        title,
    })
}

/// Returns the entry's URL when it is on the feed's own site.
fn article_url(feed: &Feed, href: &str) -> Option<Url> {
    let url = feed.url.join(href.trim()).ok()?;
    untrusted::safe_url(url.as_str())?;
    (site(&url)? == site(&feed.url)?).then_some(url)
}

/// Second-level labels below which a country registers names: `co.uk`, `com.au`, `gov.uk`.
const SECOND_LEVEL: [&str; 11] = [
    "ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org",
];

/// Returns the registered domain, with its labels reversed: `apps.bea.gov` and `www.bea.gov` are one site, `one.co.uk`
/// and `other.co.uk` are two.
fn site(url: &Url) -> Option<String> {
    let host = url.host_str()?.to_ascii_lowercase();
    let labels: Vec<&str> = host.rsplit('.').collect();
    let count = match labels.as_slice() {
        [country, second, ..] if country.len() == 2 && SECOND_LEVEL.contains(second) => 3,
        _ => 2,
    };
    Some(labels.into_iter().take(count).collect::<Vec<_>>().join("."))
}

/// Returns a URL without scheme, fragment, tracking parameters and trailing slashes.
fn canonical_url(url: &Url) -> String {
    let mut out = url.clone();
    out.set_fragment(None);
    out.set_query(None);
    let mut pairs = url
        .query_pairs()
        .filter(|(name, _)| !name.starts_with("utm_"))
        .peekable();
    if pairs.peek().is_some() {
        out.query_pairs_mut().extend_pairs(pairs);
    }
    let text = out.as_str().trim_end_matches('/');
    text.split_once("://")
        .map_or(text, |(_, rest)| rest)
        .to_owned()
}

/// Returns the tags of the feed, and the topics whose terms occur in the text as whole words.
fn tags(feed: &Feed, text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    // The blanks around it let a term match whole words only.
    let padded = format!(" {} ", words.join(" "));
    let mut tags = feed.tags.clone();
    for [topic, terms] in TOPICS.iter() {
        let is_mentioned = terms
            .split(", ")
            .any(|term| padded.contains(&format!(" {term} ")));
        if is_mentioned && !tags.iter().any(|tag| tag == topic) {
            tags.push((*topic).to_owned());
        }
    }
    tags
}

fn slug(title: &str, id: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .take(10)
        .map(str::to_ascii_lowercase)
        .collect();
    let short_id = id.get(..6).unwrap_or(id);
    format!("{}-{short_id}", words.join("-"))
        .trim_start_matches('-')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_the_registered_domain() {
        let of = |host: &str| site(&Url::parse(&format!("https://{host}/")).unwrap());
        assert_eq!(of("apps.bea.gov"), of("www.BEA.gov"));
        assert_eq!(of("news.one.co.uk"), of("www.one.co.uk"));
        assert_ne!(of("one.co.uk"), of("other.co.uk"));
        assert_ne!(of("ons.gov.uk"), of("hmrc.gov.uk"));
    }
}
