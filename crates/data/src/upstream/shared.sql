CREATE TABLE IF NOT EXISTS upstream_ledger (origin TEXT PRIMARY KEY, held_until BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS upstream_calls (
    id BIGINT PRIMARY KEY, origin TEXT NOT NULL, at BIGINT NOT NULL, pool BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS upstream_calls_by_time ON upstream_calls (origin, at);
