//! Pages for people, widgets for other people's pages, and pictures: each is made once per state of the data.

mod alerts;
mod articles;
mod asked;
mod assets;
mod calendar;
mod catalogue;
mod charts;
mod cite;
mod compare;
mod document;
mod embed;
mod fault;
mod figures;
mod frame;
mod glossary;
mod headlines;
mod home;
mod methods;
mod oembed;
mod pages;
mod past;
mod pictures;
mod quadrant;
mod questions;
mod regime;
mod release;
mod rights;
mod scenarios;
mod search;
mod series;
mod text;
mod view;
mod widget;

/// What a page is made of.
mod prelude {
    pub(super) use super::asked::PageRequest;
    pub(super) use super::document::Document;
    pub(super) use super::frame::{Frame, html};
    pub(super) use super::questions::{Answers, Question};
    pub(super) use askama::Template;
    pub(super) use econoscope_core::error::{Error, Result};
    pub(super) use econoscope_data::desk::Desk;
}

pub use articles::markdown;
pub(crate) use pages::routes;
pub(crate) use scenarios::condition as condition_of;
pub(crate) use text::{digest, encoded};
