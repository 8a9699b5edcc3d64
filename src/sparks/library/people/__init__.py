"""Persons: whose a face is, what people decided about it, and how many photos somebody is in, for whom.

FACE rows are the truth about faces, DECISION rows about what people said; taggings, `persons` of a photo, counters and
what shows a person are made from them, and may be late (`settling`). A person is known by an id; who was merged leads
on to whom they became (`redirects`).
"""

from sparks.library.people.appearing import images_with_home, list_faces_of, list_photos_of
from sparks.library.people.assigning import assign_face, found_person, next_person_id, next_person_ids, unassign_face
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
from sparks.library.people.listing import list_persons
from sparks.library.people.merging import finish_undoing, merge_persons, undo_decision
from sparks.library.people.naming import persons_named
from sparks.library.people.reading import PhotoFaces, decisions_about, find_face, find_person, find_persons, read_faces
from sparks.library.people.redirects import get_person, merged_into, resolve_person
from sparks.library.people.replaying import Verdict, in_force, verdict_on
from sparks.library.people.seeing import SeenPerson, own_scopes, see_person, see_persons
from sparks.library.people.settling import scopes_of, settle_people
from sparks.library.people.suggestions import find_suggestion, keep_suggestions, list_suggestions
from sparks.library.people.surveying import (
    PeopleCount,
    SeenFace,
    Survey,
    count_people,
    count_persons,
    seen_faces,
    survey,
)
from sparks.library.people.unrecognised import forgotten_vectors, is_forgotten, recognise_again

__all__ = [
    "ENOUGH",
    "MOST_FACES",
    "PeopleCount",
    "PhotoFaces",
    "SeenFace",
    "SeenPerson",
    "Survey",
    "Verdict",
    "all_decisions",
    "assign_face",
    "assign_faces",
    "choose_picture",
    "count_people",
    "count_persons",
    "decisions_about",
    "delete_face",
    "draw_face",
    "drop_emptied",
    "find_decision",
    "find_face",
    "find_person",
    "find_persons",
    "find_suggestion",
    "finish_indexing",
    "finish_undoing",
    "forgotten_vectors",
    "found_again",
    "found_person",
    "get_person",
    "hide_person",
    "images_with_home",
    "in_force",
    "is_forgotten",
    "keep_face",
    "keep_suggestions",
    "leave_people",
    "list_faces_of",
    "list_persons",
    "list_photos_of",
    "list_suggestions",
    "merge_persons",
    "merged_into",
    "name_person",
    "next_person_id",
    "next_person_ids",
    "own_scopes",
    "persons_named",
    "photos_with_faces_of",
    "read_faces",
    "recognise_again",
    "reject_faces",
    "relist_person",
    "remove_face",
    "resolve_person",
    "scopes_of",
    "see_person",
    "see_persons",
    "seen_faces",
    "settle_decision",
    "settle_people",
    "settle_person",
    "split_person",
    "stale_faces",
    "survey",
    "tell_apart",
    "unassign_face",
    "undo_decision",
    "verdict_on",
]
