//! The endpoints of Econoscope: arguments, schemas, answers, and the documents printed from them.
//!
//! [`endpoints`] has one file for each endpoint. [`route`] leads from arguments to an answer, [`render`] writes it,
//! [`dates`] and [`conditions`] read arguments, and [`documents`] describes the endpoints.
//!
//! This crate knows nothing of HTTP or MCP.

pub mod conditions;
pub mod dates;
pub mod documents;
pub mod endpoints;
pub mod render;
pub mod route;

pub use endpoints::ENDPOINTS;
pub use render::answer::{Answer, Csv, Reply};
pub use render::body::{Body, Encoding};
pub use route::backend::Backend;
pub use route::decode::Arguments;
pub use route::endpoint::{Endpoint, Spec};
pub use route::{Argument, Route};

/// The imports that nearly every endpoint uses.
mod prelude {
    pub(crate) use crate::dates::{self, newest, parse_as_of};
    pub(crate) use crate::render::measured::FigureKind;
    pub(crate) use crate::render::provenance::{
        Provenance, cell, enclosed_value, look_up, table_cell,
    };
    pub(crate) use crate::render::untrusted::UntrustedFields;
    pub(crate) use crate::route::endpoint::{Endpoint, Spec};
    pub(crate) use econoscope_core::catalogue::Catalogue;
    pub(crate) use econoscope_core::error::{Error, Result};
    pub(crate) use econoscope_core::indicators::prose::{
        capitalize, enclosed, format_number, format_signed, join,
    };
    pub(crate) use econoscope_core::indicators::transform::Units;
    pub(crate) use econoscope_core::model::frequency::shift;
    pub(crate) use econoscope_core::model::quantity::spell_out_unit;
    pub(crate) use econoscope_core::model::series_info::{remove_rounding_error, round_to};
    pub(crate) use econoscope_core::model::{
        AsOf, Attribution, Date, DateRange, Frequency, Observation, Series, SeriesInfo, Timeliness,
    };
    pub(crate) use econoscope_desk::Desk;
    pub(crate) use jiff::{Timestamp, ToSpan};
    pub(crate) use schemars::JsonSchema;
    pub(crate) use serde::{Deserialize, Serialize};
    pub(crate) use std::collections::BTreeMap;
    pub(crate) use std::sync::Arc;
}
