"""Arguments that every engine refuses, and those that arrive unchanged."""

import math
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from sparks.jobs.port import MAX_BODY_BYTES, Job
from sparks.model.errors import BadInput, TooLarge
from tests.conformance.jobs.engines import Queue


def nested(depth: int) -> dict[str, Any]:
    return {} if depth == 1 else {"a": nested(depth - 1)}


def filled(size: int) -> dict[str, Any]:
    """A body with exactly so many bytes as JSON."""
    return {"x": "y" * (size - len('{"x":""}'))}


BODIES = {
    "empty": {},
    "nothing": {"a": None, "b": "", "c": [], "d": {}},
    "numbers": {"a": 0, "b": -1, "c": 2**64, "d": 10**40, "e": 0.1, "f": 1e-300, "g": 1.0, "h": True},
    "letters": {"ключ": "价值", "é": "e\u0301", "مفتاح": "قيمة"},
    "beyond the first plane": {"😀": "\U0010ffff"},
    "control characters": {"a\x00b": "".join(map(chr, range(32))) + "\x7f\x85\u2028"},
    "no characters": {"a": "\ufffe\uffff"},
    "half a character": {"a": "\ud800"},
    "markup": {"<a href='x'>": '&amp; "quoted" \\ ]]>'},
    "deep": nested(100),
    "as large as it may be": filled(MAX_BODY_BYTES),
}

NO_BODIES: list[dict[Any, Any]] = [
    {"a": math.nan},
    {"a": -math.inf},
    {"a": b"bytes"},
    {"a": {1}},
    {"a": Decimal(1)},
    {"a": MappingProxyType({})},
    {"a": {1: "one"}},
    {None: 1},
    {"a": 10**5000},
    nested(101),
    nested(900),
]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_arrives_as_it_was_sent(queue: Queue, body: dict[str, Any]) -> None:
    queue.jobs.send(Job("kind", body))
    assert queue.receive_one().job == Job("kind", body)


def test_a_body_is_kept_as_it_was_when_sent(queue: Queue) -> None:
    body = {"list": [1]}
    queue.jobs.send(Job("kind", body))
    body["list"].append(2)
    assert queue.receive_one().job.body == {"list": [1]}


def test_a_body_may_be_any_mapping_and_its_tuples_arrive_as_lists(queue: Queue) -> None:
    queue.jobs.send(Job("kind", MappingProxyType({"a": (1, (2, 3))})))
    assert queue.receive_one().job.body == {"a": [1, [2, 3]]}


def test_a_body_that_is_not_json_is_refused(queue: Queue) -> None:
    for body in NO_BODIES:
        with pytest.raises(BadInput):
            queue.jobs.send(Job("kind", body))
    assert queue.receive() == []


def test_a_body_that_is_not_a_mapping_is_refused(queue: Queue) -> None:
    with pytest.raises(BadInput):
        queue.jobs.send(Job("kind", ["a"]))  # type: ignore[arg-type]


def test_a_body_above_the_limit_is_too_large(queue: Queue) -> None:
    with pytest.raises(TooLarge):
        queue.jobs.send(Job("kind", filled(MAX_BODY_BYTES + 1)))
    assert queue.receive() == []


def test_the_size_limit_counts_bytes_of_ascii_json(queue: Queue) -> None:
    with pytest.raises(TooLarge):
        queue.jobs.send(Job("kind", {"x": "é" * (MAX_BODY_BYTES // 6)}))


def test_a_kind_is_of_letters_digits_and_a_few_signs(queue: Queue) -> None:
    kinds = ["K" * 80, "a", "make_renditions", "v1.2-x"]
    queue.send(*kinds)
    assert queue.kinds() == kinds


def test_any_other_kind_is_refused(queue: Queue) -> None:
    for kind in ("", "K" * 81, "a b", "a/b", "é", "a\n", "٣"):
        with pytest.raises(BadInput):
            queue.send(kind)


def test_a_delay_out_of_range_is_refused(queue: Queue) -> None:
    for delay in (-1, 900.5, math.nan, math.inf):
        with pytest.raises(BadInput):
            queue.jobs.send(Job("kind", {}), delay=delay)


def test_a_delay_with_a_group_or_a_deduplication_key_is_refused(queue: Queue) -> None:
    for more in ({"group": "g"}, {"deduplication": "d"}):
        with pytest.raises(BadInput):
            queue.jobs.send(Job("kind", {}), delay=1, **more)


def test_a_group_or_deduplication_key_of_the_wrong_length_is_refused(queue: Queue) -> None:
    for name in ("", "x" * 129):
        with pytest.raises(BadInput):
            queue.jobs.send(Job("kind", {}), group=name)
        with pytest.raises(BadInput):
            queue.jobs.send(Job("kind", {}), deduplication=name)


def test_a_group_and_a_deduplication_key_may_hold_any_characters(queue: Queue) -> None:
    names = ["someone@example.org", "a b", "é" * 128, "😀", "\x00", "\ud800"]
    for name in names * 2:
        queue.jobs.send(Job("kind", {}), group=name, deduplication=name)
    assert len(queue.receive()) == len(names)


def test_receiving_with_numbers_out_of_range_is_refused(queue: Queue) -> None:
    queue.send("kind")
    for most, wait, lease in [
        *((most, 0, 60) for most in (0, 11)),
        *((1, wait, 60) for wait in (-1, 20.5, math.nan)),
        *((1, 0, lease) for lease in (0.9, 43201, math.nan)),
    ]:
        with pytest.raises(BadInput):
            queue.jobs.receive(most=most, wait=wait, lease=lease)
    assert queue.receive_one().tries == 1


def test_a_retry_or_extension_with_numbers_out_of_range_is_refused(queue: Queue) -> None:
    queue.send("kind")
    delivery = queue.receive_one()
    for delay in (-1, 43201, math.nan):
        with pytest.raises(BadInput):
            queue.jobs.retry_later(delivery, delay=delay)
    for lease in (0, 43201, math.nan):
        with pytest.raises(BadInput):
            queue.jobs.extend(delivery, lease=lease)


def test_listing_less_than_one_dead_letter_is_refused(queue: Queue) -> None:
    with pytest.raises(BadInput):
        queue.jobs.dead(most=0)
