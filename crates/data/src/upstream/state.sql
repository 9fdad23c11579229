CREATE TABLE calls (origin TEXT NOT NULL, at INTEGER NOT NULL, pool INTEGER NOT NULL);
CREATE INDEX calls_by_time ON calls (origin, at);
CREATE TABLE anchor (
    origin TEXT PRIMARY KEY, at INTEGER NOT NULL, held_until INTEGER NOT NULL,
    wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
    origin TEXT NOT NULL, key TEXT NOT NULL, found INTEGER NOT NULL, body BLOB NOT NULL, sum INTEGER NOT NULL,
    wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot INTEGER NOT NULL,
    lifetime INTEGER NOT NULL, born INTEGER NOT NULL, strict INTEGER NOT NULL, etag TEXT, modified TEXT,
    PRIMARY KEY (origin, key)
);
CREATE INDEX answers_by_age ON answers (wall);
