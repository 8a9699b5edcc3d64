"""Packing of new rows into transactions: as many as fit, and never more than a transaction holds."""

from sparks.migrate.apply import Resolved
from sparks.migrate.backfill import _packed
from sparks.migrate.gallery import MAX_ROW_BYTES, photo_of
from sparks.migrate.new_rows import NewRows
from sparks.model.migration import PHOTOS
from sparks.table.port import MAX_CHANGES, Put

OLD_ID = "0b0e7d2c-1f4e-4a38-9a52-3c1b6c7e4d10"


def a_row(**values: object) -> dict[str, object]:
    return {"id": OLD_ID, "user_id": OLD_ID, "s3_key": "a.jpg", **values}


def some(count: int, *, owners: int, digests: int, **values: object) -> list[tuple[Resolved, NewRows | None]]:
    record = photo_of(a_row(**values))
    puts = (Put({"PK": "a", "SK": "b"}), Put({"PK": "c", "SK": "d"}))
    return [
        (Resolved(PHOTOS, record), NewRows(puts, f"user{number % owners}@example.org", digests=digests))
        for number in range(count)
    ]


def test_a_transaction_holds_rows_digests_and_limits_and_the_check_of_the_lease() -> None:
    for owners, digests in ((1, 0), (1, 2), (100, 0), (100, 2)):
        groups = list(_packed(some(300, owners=owners, digests=digests)))
        assert sum(map(len, groups)) == 300
        for group in groups:
            changes = sum(new.changes for _, new in group) + len({new.owner for _, new in group})
            assert MAX_CHANGES - 8 <= changes <= MAX_CHANGES - 2 or group is groups[-1]


def test_large_rows_share_a_transaction_only_as_long_as_it_stays_below_four_megabytes() -> None:
    groups = list(_packed(some(30, owners=1, digests=0, description="家" * 100_000)))
    assert max(map(len, groups)) <= 13
    assert sum(map(len, groups)) == 30


def test_the_size_of_a_row_is_never_underestimated() -> None:
    values: list[object] = ["家" * 10, "🎂" * 10, 10**4000, {"a": ["\n" * 50, "é"]}, None, True, -5]
    for value in values:
        record = photo_of(a_row(other=value))
        assert record.max_bytes >= len(str(value).encode()) if value is not None else True


def test_a_row_over_the_limit_is_an_issue_and_one_below_it_is_none() -> None:
    assert not photo_of(a_row(description="a" * (MAX_ROW_BYTES - 1000))).issues
    assert [issue.field for issue in photo_of(a_row(description="a" * (MAX_ROW_BYTES + 1))).issues] == ["description"]
