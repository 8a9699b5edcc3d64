"""Schema and longer statements of the staging file."""

from typing import Final

from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows (
  tab TEXT NOT NULL, id TEXT NOT NULL, item TEXT, value TEXT NOT NULL, user_id TEXT, album_id TEXT,
  pass INTEGER NOT NULL, PRIMARY KEY (tab, id)
);
CREATE TABLE IF NOT EXISTS parts (
  tab TEXT NOT NULL, id TEXT NOT NULL, part TEXT NOT NULL, value TEXT NOT NULL, pass INTEGER NOT NULL,
  PRIMARY KEY (tab, id, part)
);
CREATE INDEX IF NOT EXISTS parts_by_name ON parts (part, tab);
CREATE TABLE IF NOT EXISTS outbox (
  entry INTEGER PRIMARY KEY AUTOINCREMENT, tab TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_by_id ON outbox (id, tab);
"""
PUT_ROW: Final = """
INSERT INTO rows (tab, id, item, value, user_id, album_id, pass) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tab, id) DO UPDATE SET item = excluded.item, value = excluded.value, user_id = excluded.user_id,
  album_id = excluded.album_id, pass = excluded.pass
"""
PUT_PART: Final = """
INSERT INTO parts (tab, id, part, value, pass) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tab, id, part) DO UPDATE SET value = excluded.value, pass = excluded.pass
"""
UNKNOWN_USERS: Final = f"""
SELECT DISTINCT user_id FROM rows WHERE user_id IS NOT NULL
EXCEPT SELECT id FROM rows WHERE tab = '{USERS}'
"""
UNKNOWN_ALBUMS: Final = f"""
SELECT album_id, min(user_id) FROM rows WHERE tab = '{PHOTOS}' AND album_id IS NOT NULL
AND album_id NOT IN (SELECT id FROM rows WHERE tab = '{ALBUMS}') GROUP BY album_id
"""
NAMED_PERSONS: Final = f"""
SELECT id FROM parts WHERE tab = '{PERSONS}' UNION
SELECT json_extract(value, '$.canonical') FROM rows WHERE tab = '{PERSONS}' AND json_extract(value, '$.canonical') <> ''
"""
UNKNOWN_PERSONS: Final = f"SELECT id FROM ({NAMED_PERSONS}) EXCEPT SELECT id FROM rows WHERE tab = '{PERSONS}'"
# Rows without an item, which only other rows name: those that none names any more.
UNNAMED: Final = f"""
SELECT tab, id FROM rows WHERE item IS NULL AND (
  tab = '{ALBUMS}' AND id NOT IN (SELECT album_id FROM rows WHERE album_id IS NOT NULL)
  OR tab = '{USERS}' AND id NOT IN (SELECT user_id FROM rows WHERE user_id IS NOT NULL)
  OR tab = '{PERSONS}' AND id NOT IN ({NAMED_PERSONS}))
"""
ITEM: Final = "SELECT item, value FROM rows WHERE tab = ? AND id = ?"
PERSONS_IN: Final = f"""
SELECT id FROM parts WHERE tab = '{PERSONS}' AND part = ?
UNION SELECT person.id FROM parts AS face JOIN parts AS person ON person.part = face.part AND person.tab = '{PERSONS}'
WHERE face.tab = '{PHOTOS}' AND face.id = ?
"""
PERSONS_INTO: Final = f"""
WITH RECURSIVE became (id) AS (
  VALUES (?) UNION
  SELECT rows.id FROM rows JOIN became ON rows.tab = '{PERSONS}' AND json_extract(rows.value, '$.canonical') = became.id
) SELECT id FROM became
"""
PERSONS_WITH: Final = f"SELECT id FROM parts WHERE part = ? AND tab = '{PERSONS}' AND id <> ?"
