//! From a feed's entries to articles.

use super::Feed;
use crate::store::Article;
use econoscope_core::model::{table, untrusted};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use sha2::Digest;
use std::sync::LazyLock;
use url::Url;

/// Entries taken of one feed, the first ones.
const MAX_ENTRIES: usize = 200;
const MAX_TITLE: usize = 200;
const MAX_SUMMARY: usize = 600;

/// Days as e-mail writes them. Some feeds name the wrong day of the week.
const DAYS: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// Subjects by the words that stand for them, so that scenarios find their articles.
pub(super) static TOPICS: LazyLock<Vec<[&str; 2]>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../../data/topics.csv"));
    rows.filter_map(|(_, row)| row.ok()).collect()
});

/// What is read of an entry, whichever format it came in.
struct Entry {
    title: String,
    link: String,
    published: Timestamp,
    text: String,
}

/// The articles of a feed. Entries without a title, a date or a link to the feed's own site are left out.
///
/// # Errors
/// What is wrong with a body that is no feed.
pub fn articles(feed: &Feed, body: &[u8], now: Timestamp) -> Result<Vec<Article>, String> {
    let entries: Vec<Option<Entry>> = match rss::Channel::read_from(body) {
        Ok(channel) => channel.items.into_iter().map(of_rss).collect(),
        // Neither RSS nor a document with another root: it may be Atom, whose error is told then.
        Err(rss::Error::InvalidStartTag) => {
            let atom = atom_syndication::Feed::read_from(body).map_err(|e| e.to_string())?;
            atom.entries.into_iter().map(of_atom).collect()
        }
        Err(error) => return Err(error.to_string()),
    };
    let entries = entries.into_iter().take(MAX_ENTRIES).flatten();
    let articles = entries.filter_map(|entry| article(feed, &entry, now));
    Ok(articles.collect())
}

fn of_rss(item: rss::Item) -> Option<Entry> {
    // RSS 1.0 has its dates as Dublin Core.
    let dublin = item.dublin_core_ext.as_ref();
    let dublin = dublin.and_then(|core| core.dates.first()?.parse().ok());
    let published = item.pub_date.as_deref().and_then(|day| {
        let zoned = DAYS.parse_zoned(day.trim()).map(|zoned| zoned.timestamp());
        zoned.or_else(|_| day.trim().parse()).ok()
    });
    Some(Entry {
        title: item.title?,
        link: item.link?,
        published: published.or(dublin)?,
        text: item.description.or(item.content).unwrap_or_default(),
    })
}

fn of_atom(entry: atom_syndication::Entry) -> Option<Entry> {
    let published = entry.published.unwrap_or(entry.updated).timestamp();
    let content = entry.content.and_then(|content| content.value);
    let mut links = entry.links.into_iter();
    Some(Entry {
        link: links.find(|link| link.rel == "alternate")?.href,
        published: Timestamp::from_second(published).ok()?,
        text: entry
            .summary
            .map(|text| text.value)
            .or(content)
            .unwrap_or_default(),
        title: entry.title.value,
    })
}

fn article(feed: &Feed, entry: &Entry, now: Timestamp) -> Option<Article> {
    let title = untrusted::line(&entry.title, MAX_TITLE);
    let url = link(feed, &entry.link)?;
    if title.is_empty() {
        return None;
    }
    let summary = untrusted::line(&entry.text, MAX_SUMMARY);
    let tags = tags(feed, &format!("{title} {summary}"));
    // The link is what stays the same; some feeds renumber their entries.
    let hash = sha2::Sha256::digest(identity(&url).as_bytes());
    let id: String = hash.iter().take(12).map(|b| format!("{b:02x}")).collect();
    Some(Article {
        slug: slug(&title, &id),
        id,
        subtitle: None,
        topic: tags.first().cloned(),
        summary: (!summary.is_empty()).then_some(summary),
        tags,
        // A feed that dates its news ahead does not get to stand on top until then.
        published_at: entry.published.min(now),
        url: url.into(),
        source: feed.name.clone(),
        title,
    })
}

/// The entry's page, when it is on the feed's own site.
fn link(feed: &Feed, href: &str) -> Option<Url> {
    let url = feed.url.join(href.trim()).ok()?;
    untrusted::link(url.as_str())?;
    (site(&url)? == site(&feed.url)?).then_some(url)
}

/// Labels below which a country gives names to everybody: `co.uk`, `com.au`, `gov.uk`.
const GIVEN_BELOW: [&str; 11] = [
    "ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org",
];

/// The name that somebody registered, with its parts turned round: `apps.bea.gov` and `www.bea.gov` are one site,
/// `one.co.uk` and `other.co.uk` are two.
fn site(url: &Url) -> Option<String> {
    let host = url.host_str()?.to_ascii_lowercase();
    let labels: Vec<&str> = host.rsplit('.').collect();
    let count = match labels.as_slice() {
        [country, below, ..] if country.len() == 2 && GIVEN_BELOW.contains(below) => 3,
        _ => 2,
    };
    Some(labels.into_iter().take(count).collect::<Vec<_>>().join("."))
}

/// An address without what changes from one copy of it to the next.
fn identity(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !name.starts_with("utm_"))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    let text = url.as_str().trim_end_matches('/');
    text.split_once("://")
        .map_or(text, |(_, rest)| rest)
        .to_owned()
}

fn tags(feed: &Feed, text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // Blanks on both sides: a mark is found as whole words.
    let words = format!(" {} ", words.join(" "));
    let mut tags = feed.tags.clone();
    for [topic, marks] in TOPICS.iter() {
        let mentioned = marks.split(", ").any(|m| words.contains(&format!(" {m} ")));
        if mentioned && !tags.iter().any(|t| t == topic) {
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
    let short = id.get(..6).unwrap_or(id);
    format!("{}-{short}", words.join("-"))
        .trim_start_matches('-')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_what_somebody_registered() {
        let of = |host: &str| site(&Url::parse(&format!("https://{host}/")).unwrap());
        assert_eq!(of("apps.bea.gov"), of("www.BEA.gov"));
        assert_eq!(of("news.one.co.uk"), of("www.one.co.uk"));
        assert_ne!(of("one.co.uk"), of("other.co.uk"));
        assert_ne!(of("ons.gov.uk"), of("hmrc.gov.uk"));
    }
}
