//! The Federal Reserve Board's excess bond premium (Favara, Gilchrist, Lewis and Zakrajšek), which FRED does not carry.
//!
//! One CSV of the FEDS Notes holds `date,gz_spread,ebp,est_prob` by month (SOURCES 7); the first two figures
//! become the series `GZ_SPREAD` and `EBP`. `est_prob` is a model's output and is left where it is.

use super::fetch::{Answer, CSV, Fetch, Timeouts, client, unavailable};
use super::pace::PaceSettings;
use super::table::{self, Column, Dates};
use crate::error::{Error, Result};
use crate::model::{Frequency, Observation, SeriesId};
use url::Url;

/// The series this file brings.
pub const SERIES: [&str; 2] = ["EBP", "GZ_SPREAD"];

/// Where the Board's file is and how it is asked for.
#[derive(Debug, Clone)]
pub struct BoardSettings {
    /// Address of the CSV file.
    pub url: Url,
    /// Speed.
    pub pace: PaceSettings,
    /// Patience with the network.
    pub timeouts: Timeouts,
}

impl BoardSettings {
    /// The Board itself.
    ///
    /// # Errors
    /// None in practice: the address is fixed.
    pub fn new() -> Result<Self> {
        let home = "https://www.federalreserve.gov/econres/notes/feds-notes/ebp_csv.csv";
        let url = Url::parse(home).map_err(|e| Error::internal("the Board's address", e))?;
        Ok(Self {
            url,
            pace: PaceSettings::DOWNLOADS,
            timeouts: Timeouts::default(),
        })
    }
}

/// Figures by series.
pub type Premium = Vec<(SeriesId, Vec<Observation>)>;

/// Fetches the file: each of [`SERIES`] that it holds, by month.
///
/// # Errors
/// [`Error::Unavailable`] or [`Error::RateLimited`] when the Board gives no usable answer.
pub async fn excess_bond_premium(
    settings: &BoardSettings,
    contact: Option<&str>,
) -> Result<Premium> {
    let client = client(settings.timeouts, contact)?;
    let fetch = Fetch::new("The Federal Reserve Board", client, settings.pace);
    let answer = fetch.get(&settings.url, CSV, |_| false).await?;
    read(&answer).map_err(|problem| {
        unavailable(format!(
            "The Federal Reserve Board's bond premium file cannot be used: {problem}. Try again later."
        ))
    })
}

fn read(answer: &Answer) -> std::result::Result<Premium, String> {
    if answer.is_page() {
        let status = answer.status;
        return Err(format!(
            "a web page came instead of figures (HTTP {status})"
        ));
    }
    if !answer.is_success() {
        return Err(format!("HTTP {}", answer.status));
    }
    if table::is_cut_off(&answer.body) {
        return Err("it breaks off in its last line".to_owned());
    }
    let columns = table::read(&answer.body, None, Dates::IsoOrUs)
        .map_err(|b| format!("line {}: {}", b.line, b.problem))?;
    let mut premium = Vec::new();
    for column in columns
        .into_iter()
        .filter(|c| SERIES.contains(&c.id.as_str()))
    {
        premium.push((column.id.clone(), by_month(column)?));
    }
    if premium.is_empty() {
        return Err("it holds neither ebp nor gz_spread".to_owned());
    }
    Ok(premium)
}

/// Months may be stamped with any of their days; we stamp the first.
fn by_month(column: Column) -> std::result::Result<Vec<Observation>, String> {
    if let Some(b) = column.broken {
        return Err(format!("line {}: {}", b.line, b.problem));
    }
    let mut out: Vec<Observation> = column.observations();
    out.iter_mut()
        .for_each(|o| o.date = Frequency::Monthly.stamp(o.date));
    match out
        .windows(2)
        .find(|pair| matches!(pair, [a, b] if a.date == b.date))
    {
        Some([twice, ..]) => Err(format!("the month of {} stands twice", twice.date)),
        _ => Ok(out),
    }
}
