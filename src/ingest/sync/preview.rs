//! A plan in words, for who wants to see what a sync would do.

use crate::ingest::news::day_of;
use crate::ingest::plan::Plan;
use crate::ingest::sources::SourceSettings;
use crate::recipe::{FeedRef, Line};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A plan in lines: who would be asked how often, for what, and what is left alone and why.
pub(super) fn plan_lines(plan: &Plan, settings: &SourceSettings, now: Timestamp) -> Vec<String> {
    let recipes = &settings.recipes;
    let mut feeds: BTreeMap<String, (FeedRef<'_>, Vec<&Line>)> = BTreeMap::new();
    let (mut fred, mut made, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
    for step in &plan.steps {
        let mut routes = recipes.routes(&step.id);
        let open = routes.find(|at| settings.is_open(at.source));
        let id = step.id.as_str();
        match open {
            Some(at) if !step.vintages => {
                let slot = feeds.entry(at.name()).or_insert((at, Vec::new()));
                slot.1
                    .extend(at.feed.series.iter().filter(|line| line.id == step.id));
            }
            _ if recipes.formula(&step.id).is_some() => made.push(id),
            _ if step.source.is_some() => fred.push(id),
            _ => keyed.push(id),
        }
    }
    let today = day_of(now);
    let mut out = Vec::new();
    let mut shared: BTreeMap<String, String> = BTreeMap::new();
    for (name, (at, lines)) in feeds {
        let asks = at.feed.asks(&lines, None, today);
        let host = asks.first().and_then(|ask| url::Url::parse(&ask.url).ok());
        let host = host
            .and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default();
        let pace = at.source.pace_ms;
        let mut ids: Vec<&str> = lines.iter().map(|line| line.id.as_str()).collect();
        ids.dedup();
        let first = shared.entry(at.feed.url.clone()).or_insert(name.clone());
        let how = match asks.len() {
            _ if *first != name => format!("the answer of {first}"),
            0 | 1 => format!("1 request to {host}"),
            n => format!("at most {n} requests to {host}, {pace} ms apart"),
        };
        out.push(format!("{name}: {how}, for {}", ids.join(" ")));
    }
    for (what, ids) in [
        ("computed here", made),
        ("fred: one request a series", fred),
        ("needs a key of your own", keyed),
    ] {
        if !ids.is_empty() {
            out.push(format!("{what}: {} series: {}", ids.len(), ids.join(" ")));
        }
    }
    for (id, until) in &plan.fresh {
        out.push(format!(
            "{id}: not before {until:.0}, when its next figure is due"
        ));
    }
    out.extend(
        plan.refused
            .iter()
            .map(|(id, error)| format!("{id}: {error}")),
    );
    out
}
