CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    series INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
-- Version 0 and no series, with their checksum.
INSERT INTO state VALUES (1, 0, 0, 1780313956);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rows INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    content INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE article (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    subtitle TEXT,
    topic TEXT,
    summary TEXT,
    tags TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    url TEXT NOT NULL,
    source TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE INDEX article_by_time ON article (published_at DESC, id);
CREATE TABLE note (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
