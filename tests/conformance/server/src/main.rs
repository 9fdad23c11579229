//! The program's MCP handler on a free port of this machine, over the bundled history, with the fixtures that the
//! protocol's conformance suite asks every server for.

mod fixtures;
mod handler;
mod rounds;

use econoscope::mcp::{Server, transport};
use econoscope::server::{HttpServer, Options, Shutdown};
use econoscope_answers::Backend;
use econoscope_data::store::Sqlite;
use econoscope_desk::{Desk, Settings};
use handler::Handler;
use std::sync::Arc;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let store = Arc::new(Sqlite::bundled()?);
    let desk = Desk::open(store, Settings::default(), Desk::system_clock());
    let backend = Arc::new(Backend::local(Arc::new(desk)));
    let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let options = Options {
        origins: origins.map(String::from).into(),
        ..Options::default()
    };
    let server = Server::new(Arc::clone(&backend));
    let shutdown = Shutdown::default();
    let handler = Handler(server.clone());
    let mcp = transport::http_with(
        move || handler.clone(),
        server,
        shutdown.close_streams.clone(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    let site = HttpServer::new(backend, options);
    site.serve(listener, mcp, shutdown).await;
    Ok(())
}
