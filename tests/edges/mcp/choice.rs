//! Which tool a host would pick for a question: hosts with many tools rank names and descriptions by words,
//! and so does this test (BM25), over 128 labelled questions.

use super::server;
use econoscope_answers::endpoints::ENDPOINTS;
use rmcp::ServerHandler as _;
use std::collections::HashMap;

const QUESTIONS: &str = include_str!("questions.csv");

/// A question without a tool scores below this with every tool.
const RELEVANT: f64 = 1.6;

const SMALL: &str = "a an and any are as asked at be been by can could did do does down each for from get gives give \
    had has have here how i in into is it its just me my new no not now of off on one or our out over please say set \
    should show so such than that the their them there they this to up us use used using was what when where which who \
    will with work you your s";

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty() && !SMALL.split_whitespace().any(|s| s == *w))
        .map(|w| match (w.strip_suffix("ies"), w.strip_suffix('s')) {
            (Some(stem), _) if w.len() > 5 => format!("{stem}y"),
            (_, Some(stem)) if w.len() > 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => w.to_owned(),
        })
        .collect()
}

struct Ranking {
    tools: Vec<(String, Vec<String>)>,
    frequency: HashMap<String, f64>,
    mean: f64,
}

impl Ranking {
    fn new() -> Self {
        let server = server();
        let tools: Vec<(String, Vec<String>)> = ENDPOINTS
            .iter()
            .map(|route| server.get_tool(route.spec.tool).unwrap())
            .map(|t| {
                let title = t.title.as_deref().unwrap_or_default();
                let about = t.description.as_deref().unwrap_or_default();
                let text = format!("{} {title} {about}", t.name.replace('_', " "));
                (t.name.to_string(), words(&text))
            })
            .collect();
        let mut frequency = HashMap::new();
        for (_, words) in &tools {
            let mut once = words.clone();
            once.sort();
            once.dedup();
            for word in once {
                *frequency.entry(word).or_insert(0.0) += 1.0;
            }
        }
        let mean = tools.iter().map(|(_, w)| w.len() as f64).sum::<f64>() / tools.len() as f64;
        Self {
            tools,
            frequency,
            mean,
        }
    }

    fn rank(&self, question: &str) -> Vec<(f64, &str)> {
        let n = self.tools.len() as f64;
        let mut ranked: Vec<(f64, &str)> = self
            .tools
            .iter()
            .map(|(name, have)| {
                let score = words(question)
                    .iter()
                    .map(|word| {
                        let times = have.iter().filter(|h| *h == word).count() as f64;
                        let of = self.frequency.get(word).copied().unwrap_or(0.0);
                        let rarity = (1.0 + (n - of + 0.5) / (of + 0.5)).ln();
                        let length = 0.25 + 0.75 * have.len() as f64 / self.mean;
                        rarity * times * 2.2 / (times + 1.2 * length)
                    })
                    .sum::<f64>();
                (score, name.as_str())
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

#[test]
fn the_right_tool_comes_first_and_always_among_three() {
    let ranking = Ranking::new();
    let (mut asked, mut first, mut low, mut beside) = (0, 0, 0, 0);
    let mut lost = Vec::new();
    let mut reader = csv::Reader::from_reader(QUESTIONS.as_bytes());
    for row in reader.records() {
        let row = row.unwrap();
        let (kind, tool, question) = (&row[0], &row[1], &row[2]);
        let ranked = ranking.rank(question);
        if kind == "negative" {
            beside += 1;
            low += usize::from(ranked[0].0 < RELEVANT);
            continue;
        }
        asked += 1;
        if ranked[0].1 == tool {
            first += 1;
        } else {
            println!("{question}: {:?}, not {tool}", &ranked[..3]);
        }
        if !ranked
            .iter()
            .take(3)
            .any(|(score, name)| *name == tool && *score > 0.0)
        {
            lost.push(question.to_owned());
        }
    }
    println!(
        "{first} of {asked} first, {} lost, {low} of {beside} beside the point are low",
        lost.len()
    );
    assert_eq!((asked, beside), (108, 20));
    assert!(first * 100 >= asked * 85, "{first} of {asked}");
    assert!(lost.is_empty(), "not among three: {lost:?}");
    assert!(low * 100 >= beside * 90, "{low} of {beside}");
}
