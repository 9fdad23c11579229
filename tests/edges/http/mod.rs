//! Tests of the HTTP interface: through the router, and through a socket where time and bytes matter.

mod broken;
mod calendar;
mod cards;
mod charges;
mod cite;
mod clients;
mod contract;
mod discovery;
mod everything;
mod forms;
mod forwarding;
mod imports;
mod limits;
mod listeners;
mod logs;
mod metrics;
mod origins;
mod pages;
mod reasons;
mod reflected;
mod rights;
mod search;
mod slow;
mod support;
mod surfaces;
mod views;
