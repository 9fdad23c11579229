-- The tables of a SQLite store. Column `changed` is the number of the change that wrote the row.
CREATE TABLE econoscope.state (
    id int8 PRIMARY KEY CHECK (id = 1),
    incarnation text NOT NULL,
    change int8 NOT NULL,
    version int8 NOT NULL,
    series int8 NOT NULL,
    last_series int8 NOT NULL,
    last_description int8 NOT NULL
);
INSERT INTO econoscope.state VALUES (1, gen_random_uuid()::text, 0, 0, 0, 0, 0);
CREATE TABLE econoscope.series (
    id int8 PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    rows int8 NOT NULL,
    segments int8 NOT NULL,
    first int8 NOT NULL,
    last int8 NOT NULL,
    fetched_at int8 NOT NULL,
    origin text NOT NULL,
    content int8 NOT NULL,
    crc int8 NOT NULL,
    changed int8 NOT NULL
);
CREATE INDEX series_changed ON econoscope.series (changed);
CREATE TABLE econoscope.segment (
    id int8 PRIMARY KEY,
    data bytea NOT NULL,
    changed int8 NOT NULL
);
CREATE INDEX segment_changed ON econoscope.segment (changed);
CREATE TABLE econoscope.article (
    id text COLLATE "C" PRIMARY KEY,
    slug text NOT NULL,
    title text NOT NULL,
    subtitle text,
    topic text,
    summary text,
    tags text NOT NULL,
    published_at int8 NOT NULL,
    url text NOT NULL,
    source text NOT NULL,
    crc int8 NOT NULL,
    changed int8 NOT NULL
);
CREATE INDEX article_by_time ON econoscope.article (published_at DESC, id);
CREATE INDEX article_changed ON econoscope.article (changed);
CREATE TABLE econoscope.note (
    key text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    crc int8 NOT NULL,
    changed int8 NOT NULL
);
CREATE TABLE econoscope.description (
    id int8 PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    title text NOT NULL,
    units text NOT NULL,
    frequency text NOT NULL,
    adjusted int8 NOT NULL,
    source text NOT NULL,
    crc int8 NOT NULL,
    changed int8 NOT NULL
);
CREATE INDEX description_changed ON econoscope.description (changed);
-- Deleted series, so that replicas delete them, too.
CREATE TABLE econoscope.gone (
    id int8 PRIMARY KEY,
    changed int8 NOT NULL
);
-- The lease on writing, with its expiry by this database's clock. The term counts the leases.
CREATE TABLE econoscope.lease (
    id int8 PRIMARY KEY CHECK (id = 1),
    holder text NOT NULL,
    term int8 NOT NULL,
    expires timestamptz NOT NULL
);
INSERT INTO econoscope.lease VALUES (1, 'nobody', 0, '-infinity');
