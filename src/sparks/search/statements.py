"""The SQL of the search index: its tables, and what is asked of them."""

from typing import Final

SCHEMA: Final = """
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE photos (
    id INTEGER PRIMARY KEY, image_id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, day INTEGER NOT NULL,
    latitude REAL, longitude REAL, camera TEXT, print BLOB NOT NULL
);
CREATE INDEX cameras ON photos (camera) WHERE camera IS NOT NULL;
CREATE VIRTUAL TABLE words USING fts5(
    named, told, facets, tokenize='ascii', detail=column, columnsize=0, prefix='1 2 3'
);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
CREATE TABLE names (
    kind TEXT NOT NULL, word TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, word, id)
) WITHOUT ROWID;
CREATE INDEX named ON names (kind, id);
"""
MATCHES: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM words CROSS JOIN photos p ON p.id = words.rowid
WHERE words MATCH :match AND words.rowid BETWEEN :low AND :high AND p.day BETWEEN :first AND :last
ORDER BY words.rowid DESC LIMIT :most
"""
ALL: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM photos p
WHERE p.id BETWEEN :low AND :high AND p.day BETWEEN :first AND :last ORDER BY p.id DESC LIMIT :most
"""
WITHIN: Final = """
SELECT p.id, p.image_id, p.owner, p.latitude, p.longitude FROM photos p
WHERE p.image_id IN (SELECT value FROM json_each(:within)) AND p.id BETWEEN :low AND :high
AND p.day BETWEEN :first AND :last {} ORDER BY p.id DESC LIMIT :most
"""
MATCHING: Final = "AND p.id IN (SELECT rowid FROM words WHERE words MATCH :match)"
NAMED: Final = "SELECT id, word FROM names WHERE kind = ? AND word >= ? AND word < ?"
CAMERAS: Final = """
WITH RECURSIVE each(camera) AS (
    SELECT MIN(camera) FROM photos WHERE camera IS NOT NULL
    UNION ALL SELECT (SELECT MIN(camera) FROM photos WHERE camera > each.camera) FROM each WHERE each.camera IS NOT NULL
) SELECT camera FROM each WHERE camera IS NOT NULL
"""
