//! Test databases, one for each test, on a server that the environment names.

use super::handle::Postgres;
use super::runtime::block_on;
use crate::postgres::Address;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// Creates an empty database of this name, which must not exist, and a folder.
pub(in crate::store) fn new_database(name: &str) -> (Postgres, TempDir) {
    let variable = std::env::var_os("ECONOSCOPE_TEST_DATABASE").unwrap();
    let server = variable.to_str().unwrap();
    let at = |name: &str| Address::parse("store", &format!("{server}/{name}")).unwrap();
    let database = name.get(..60).unwrap_or(name);
    let create = format!("CREATE DATABASE {database}");
    let admin = format!("{server}/postgres");
    let make = async move {
        let admin = tokio_postgres::connect(&admin, NoTls).await;
        let (client, connection) = admin.unwrap();
        let ends = tokio::spawn(connection);
        client.batch_execute(&create).await.unwrap();
        drop(client);
        ends.await.unwrap().unwrap();
        Ok(())
    };
    block_on(make).unwrap();
    Postgres::migrate(&at(database)).unwrap();
    (
        Postgres::open(&at(database)).unwrap(),
        TempDir::new().unwrap(),
    )
}
