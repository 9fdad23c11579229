//! HTML pages, embeddable widgets and chart pictures. Each is rendered once per state of the data.

mod alerts;
mod articles;
mod assets;
mod calendar;
mod catalogue;
mod charts;
mod cite;
mod compare;
mod document;
mod embed;
mod endpoint_calls;
mod error_page;
mod figure;
mod frame;
mod glossary;
mod headlines;
mod home;
mod methods;
mod oembed;
mod page_request;
mod pages;
mod pictures;
mod quadrant;
mod regime;
mod release;
pub(crate) mod rights;
mod scenarios;
mod search;
mod series;
mod strip;
mod text;
mod view;
mod vintages;
mod why;
mod widget_frame;
mod widgets;

/// Imports that most pages share.
mod prelude {
    pub(super) use super::document::Document;
    pub(super) use super::endpoint_calls::{Answers, EndpointCall};
    pub(super) use super::frame::{Frame, render, render_page};
    pub(super) use super::page_request::PageRequest;
    pub(super) use super::text::format_or_dash;
    pub(super) use super::text::{encode_segment, format_dates, format_day, format_exact};
    pub(super) use super::view::{endpoint_arguments, query_string};
    pub(super) use askama::Template;
    pub(super) use econoscope_core::catalogue::Catalogue;
    pub(super) use econoscope_core::error::{Error, Result};
    pub(super) use econoscope_core::format::period;
    pub(super) use econoscope_core::indicators::prose::{capitalize, enclosed, join};
    pub(super) use econoscope_core::model::{AsOf, Date, Frequency, Observation, SeriesInfo};
    pub(super) use econoscope_desk::Desk;
    pub(super) use std::sync::Arc;
}

pub use articles::markdown;
pub(crate) use pages::{describe_pages, routes, sitemap_paths};
pub(crate) use scenarios::scenario_condition;
pub(crate) use text::{digest, encode_segment};
