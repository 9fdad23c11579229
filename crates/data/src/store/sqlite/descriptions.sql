CREATE TABLE IF NOT EXISTS description (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    units TEXT NOT NULL,
    frequency TEXT NOT NULL,
    adjusted INTEGER NOT NULL,
    source TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS description_words USING fts5(
    name, title, content = 'description', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 0', detail = none, columnsize = 0, prefix = '2 3'
);
