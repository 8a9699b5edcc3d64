"""Whether faces may be looked for: the last word of everybody who is asked counts, and none is ever lost."""

from datetime import timedelta

import pytest

from sparks.library.consent import (
    FACES,
    SITE,
    album_of,
    faces_allowed,
    history,
    is_allowed,
    subject_of_album,
    subject_of_person,
    switch_faces,
)
from sparks.table.port import Table
from tests.factories import ANN, BOB, NOON, a_photo

ALBUM = subject_of_album("album1")
LATER = timedelta(seconds=1)


def test_faces_are_looked_for_until_somebody_says_no(table: Table) -> None:
    assert faces_allowed(a_photo(albums=("album1",)), table=table)


@pytest.mark.parametrize("subject", [SITE, ANN, ALBUM])
def test_one_no_is_enough(table: Table, subject: str) -> None:
    switch_faces(subject, False, ANN, at=NOON, table=table)
    assert not faces_allowed(a_photo(owner=ANN, albums=("album0", "album1")), table=table)


@pytest.mark.parametrize("subject", [BOB, subject_of_album("album2"), subject_of_person("person1")])
def test_what_others_say_about_theirs_counts_there(table: Table, subject: str) -> None:
    switch_faces(subject, False, BOB, at=NOON, table=table)
    assert faces_allowed(a_photo(owner=ANN, albums=("album1",)), table=table)


def test_the_last_word_counts_and_all_are_kept(table: Table) -> None:
    said = [False, True, False, True]
    for turn, allowed in enumerate(said):
        switch_faces(SITE, allowed, ANN, at=NOON + turn * LATER, table=table)
    assert is_allowed(SITE, table=table)
    assert [(each.allowed, each.who, each.what) for each in history(SITE, table=table)] == [
        (allowed, ANN, FACES) for allowed in reversed(said)
    ]


def test_two_words_of_one_moment_are_in_the_order_in_which_they_were_said(table: Table) -> None:
    for allowed in (True, False):
        switch_faces(SITE, allowed, ANN, at=NOON, table=table)
    assert not is_allowed(SITE, table=table)


def test_a_word_about_something_else_says_nothing_about_faces(table: Table) -> None:
    switch_faces(SITE, True, ANN, at=NOON, table=table)
    assert is_allowed(SITE, "recognise", table=table)
    assert is_allowed(SITE, table=table)


def test_a_subject_tells_what_it_is() -> None:
    assert album_of(ALBUM) == "album1"
    assert [album_of(subject) for subject in (subject_of_person("person1"), SITE, ANN)] == [None] * 3
