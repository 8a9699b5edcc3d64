"""Persons: whose a face is, what people decided about it, and how many photos somebody is in, for whom.

FACE rows are the truth about faces, DECISION rows about what people said; taggings, `persons` of a photo, counters and
what shows a person are made from them, and may be late (`settling`). A person is known by an id; who was merged leads
on to whom they became (`redirects`).
"""

from sparks.library.people.assigning import assign_face, found_person, unassign_face
from sparks.library.people.counting import ENOUGH
from sparks.library.people.deciding import (
    assign_faces,
    choose_picture,
    draw_face,
    hide_person,
    name_person,
    reject_faces,
    split_person,
    tell_apart,
)
from sparks.library.people.decisions import MOST_FACES, all_decisions, find_decision
from sparks.library.people.gathering import (
    drop_emptied,
    photos_with_faces_of,
    relist_person,
    settle_decision,
    settle_person,
)
from sparks.library.people.indexing import finish_indexing, found_again, keep_face, remove_face, stale_faces
from sparks.library.people.leaving import delete_face, leave_people
from sparks.library.people.merging import merge_persons, undo_decision
from sparks.library.people.reading import PhotoFaces, decisions_about, find_face, find_person, find_persons, read_faces
from sparks.library.people.redirects import get_person, merged_into, resolve_person
from sparks.library.people.replaying import Verdict, in_force, verdict_on
from sparks.library.people.settling import scopes_of, settle_people

__all__ = [
    "ENOUGH",
    "MOST_FACES",
    "PhotoFaces",
    "Verdict",
    "all_decisions",
    "assign_face",
    "assign_faces",
    "choose_picture",
    "decisions_about",
    "delete_face",
    "draw_face",
    "drop_emptied",
    "find_decision",
    "find_face",
    "find_person",
    "find_persons",
    "finish_indexing",
    "found_again",
    "found_person",
    "get_person",
    "hide_person",
    "in_force",
    "keep_face",
    "leave_people",
    "merge_persons",
    "merged_into",
    "name_person",
    "photos_with_faces_of",
    "read_faces",
    "reject_faces",
    "relist_person",
    "remove_face",
    "resolve_person",
    "scopes_of",
    "settle_decision",
    "settle_people",
    "settle_person",
    "split_person",
    "stale_faces",
    "tell_apart",
    "unassign_face",
    "undo_decision",
    "verdict_on",
]
