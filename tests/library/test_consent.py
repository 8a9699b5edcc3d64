"""Consent to face detection: the last entry of every subject counts, and none is lost."""

from datetime import timedelta

import pytest

from sparks.library.consent import (
    FACES,
    SITE,
    album_of_subject,
    faces_allowed,
    history,
    is_allowed,
    subject_of_album,
    subject_of_person,
)
from sparks.table.port import Table
from tests.account_makers import switch_faces
from tests.factories import ANN, BOB, NOON, a_photo

ALBUM = subject_of_album("album1")
LATER = timedelta(seconds=1)


def test_faces_are_allowed_without_any_entry(table: Table) -> None:
    assert faces_allowed(a_photo(albums=("album1",)), table=table)


@pytest.mark.parametrize("subject", [SITE, ANN, ALBUM])
def test_one_no_of_any_subject_forbids_faces(table: Table, subject: str) -> None:
    switch_faces(subject, False, ANN, at=NOON, table=table)
    assert not faces_allowed(a_photo(owner=ANN, albums=("album0", "album1")), table=table)


@pytest.mark.parametrize("subject", [BOB, subject_of_album("album2"), subject_of_person("person1")])
def test_consent_of_other_subjects_does_not_count(table: Table, subject: str) -> None:
    switch_faces(subject, False, BOB, at=NOON, table=table)
    assert faces_allowed(a_photo(owner=ANN, albums=("album1",)), table=table)


def test_the_last_entry_counts_and_all_are_kept(table: Table) -> None:
    said = [False, True, False, True]
    for turn, allowed in enumerate(said):
        switch_faces(SITE, allowed, ANN, at=NOON + turn * LATER, table=table)
    assert is_allowed(SITE, table=table)
    assert [(each.allowed, each.who, each.what) for each in history(SITE, table=table)] == [
        (allowed, ANN, FACES) for allowed in reversed(said)
    ]


def test_two_entries_of_one_moment_are_in_the_order_of_writing(table: Table) -> None:
    for allowed in (True, False):
        switch_faces(SITE, allowed, ANN, at=NOON, table=table)
    assert not is_allowed(SITE, table=table)


def test_an_entry_about_another_permission_does_not_count_for_faces(table: Table) -> None:
    switch_faces(SITE, True, ANN, at=NOON, table=table)
    assert is_allowed(SITE, "recognise", table=table)
    assert is_allowed(SITE, table=table)


def test_the_kind_of_a_subject_can_be_read_from_it() -> None:
    assert album_of_subject(ALBUM) == "album1"
    assert [album_of_subject(subject) for subject in (subject_of_person("person1"), SITE, ANN)] == [None] * 3
