"""The SQL of the embedded jobs.

[Note: due] `due` tells when a job may be received: once sent, once its delay is over, once its lease has ended. Only
the first living job of a group (a `team` here: SQL has other plans for the word) has one, so that a long group costs
nothing while it waits. A job that was tried for the last time and is due again is dead, and is buried by whoever comes
by.
"""

from typing import Final

from sparks.jobs.port import MOST_TRIES

SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS jobs (
    place INTEGER PRIMARY KEY, queue TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    team TEXT, sent REAL NOT NULL, due REAL, tries INTEGER NOT NULL DEFAULT 0, receipt TEXT, died REAL, reason TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (queue, due) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_spent ON jobs (queue, due) WHERE due IS NOT NULL AND tries >= {MOST_TRIES};
CREATE INDEX IF NOT EXISTS jobs_team ON jobs (queue, team) WHERE team IS NOT NULL AND died IS NULL;
CREATE INDEX IF NOT EXISTS jobs_dead ON jobs (queue, id) WHERE died IS NOT NULL;
CREATE TABLE IF NOT EXISTS jobs_seen (
    queue TEXT NOT NULL, key TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (queue, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_seen_until ON jobs_seen (until);
"""
FORGET: Final = "DELETE FROM jobs_seen WHERE until <= ?"
NOTE: Final = "INSERT OR IGNORE INTO jobs_seen VALUES (?, ?, ?) RETURNING key"
KEEP: Final = """
INSERT INTO jobs (queue, id, kind, body, team, sent, due)
SELECT ?1, ?2, ?3, ?4, ?5, ?6,
       iif(EXISTS (SELECT 1 FROM jobs WHERE queue = ?1 AND team = ?5 AND died IS NULL), NULL, ?7)
"""
NEXT: Final = """
SELECT (SELECT due FROM jobs WHERE queue = ?1 AND due IS NOT NULL ORDER BY due LIMIT 1),
       (SELECT due FROM jobs WHERE queue = ?1 AND due IS NOT NULL ORDER BY due DESC LIMIT 1)
"""
DUE: Final = "SELECT place, id, kind, body, tries, sent FROM jobs WHERE queue = ? AND due <= ? ORDER BY due LIMIT ?"
LEASE: Final = "UPDATE jobs SET due = ?, tries = tries + 1, receipt = ? WHERE place = ?"
BRING_BACK: Final = "UPDATE jobs SET due = ?2 WHERE queue = ?1 AND due > ?3"
SPENT: Final = f"queue = ?1 AND due <= ?2 AND tries >= {MOST_TRIES}"
ANY_SPENT: Final = f"SELECT 1 FROM jobs WHERE {SPENT} LIMIT 1"
BURY: Final = f"UPDATE jobs SET died = due, due = NULL WHERE {SPENT} RETURNING team"
ADVANCE: Final = """
UPDATE jobs SET due = min(sent, ?3) WHERE due IS NULL
AND place = (SELECT min(place) FROM jobs WHERE queue = ?1 AND team = ?2 AND died IS NULL)
RETURNING place
"""
FINISH: Final = "DELETE FROM jobs WHERE place = ? AND receipt = ? RETURNING team"
HELD: Final = "place = ?1 AND receipt = ?2 AND due > ?3"
GIVE_BACK: Final = f"UPDATE jobs SET due = ?4, receipt = NULL WHERE {HELD} AND tries < {MOST_TRIES}"
GIVE_UP: Final = f"UPDATE jobs SET died = ?3, due = NULL, receipt = NULL, reason = ?4 WHERE {HELD} RETURNING team"
EXTEND: Final = f"UPDATE jobs SET due = ?4 WHERE {HELD} RETURNING place"
DEAD: Final = """
SELECT kind, body, id, sent, tries, reason FROM jobs WHERE queue = ? AND died IS NOT NULL ORDER BY died, place LIMIT ?
"""
DIG_UP: Final = "DELETE FROM jobs WHERE queue = ? AND id = ? AND died IS NOT NULL RETURNING id, kind, body, team, sent"
# The text is looked for as JSON writes it; whether it stands there by itself is for the caller to see.
ABOUT: Final = "SELECT place, body FROM jobs WHERE queue = ? AND instr(body, ?)"
REMOVE: Final = "DELETE FROM jobs WHERE place = ? RETURNING team"
COUNT: Final = """
SELECT count(*) FILTER (WHERE due <= ?2), count(*) FILTER (WHERE due > ?2 AND receipt IS NOT NULL),
       count(*) FILTER (WHERE died IS NOT NULL), count(*) FROM jobs WHERE queue = ?1
"""
