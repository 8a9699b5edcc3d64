"""DynamoDB adapter with throttling, conflicts, lost responses and other faults, in front of real servers."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sparks.model.errors import BadSetting, Busy, ConditionFailed, StorageFull, Unavailable
from sparks.table.dynamodb import DynamoDbTable, connect
from sparks.table.dynamodb.error_mapping import MAX_PAUSE, MIN_PAUSE
from sparks.table.port import (
    EVERYTHING,
    Absent,
    Add,
    Between,
    Check,
    Delete,
    Equals,
    Key,
    Page,
    Partition,
    Prefix,
    Present,
    Put,
    Set,
)
from tests.conformance.table.adapters import SERVERS, client_of, new_name
from tests.conformance.table.faults import (
    Fault,
    Faults,
    PassingTime,
    answer,
    cancel,
    change_answer,
    cut_connection,
    garble,
    lose_answer,
    refuse,
)
from tests.conformance.table.rows import fill, key_of, row
from tests.servers.process import free_port

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEY = Key("p", "s")
DEADLINE = 10.0


@pytest.fixture(params=SERVERS)
def client(request: pytest.FixtureRequest) -> Iterator["DynamoDBClient"]:
    client = client_of(request.param)
    yield client
    client.close()


@pytest.fixture
def time() -> PassingTime:
    return PassingTime()


@pytest.fixture
def table(client: "DynamoDBClient", time: PassingTime) -> DynamoDbTable:
    return DynamoDbTable(client, new_name(client), deadline=DEADLINE, clock=time.clock, sleep=time.sleep)


@pytest.fixture
def faults(client: "DynamoDBClient", table: DynamoDbTable) -> Faults:
    return Faults(client)


TRANSIENT = [
    cancel("TransactionConflict"),
    cancel("ThrottlingError"),
    cancel("ProvisionedThroughputExceeded"),
    cancel("None"),
    refuse("ProvisionedThroughputExceededException"),
    refuse("ThrottlingException"),
    refuse("RequestLimitExceeded"),
    refuse("TransactionInProgressException"),
    refuse("InternalServerError", status=500),
    answer(503, {}),
    cut_connection,
    garble,
]


@pytest.mark.parametrize("fault", TRANSIENT)
def test_transient_errors_are_retried(table: DynamoDbTable, faults: Faults, fault: Fault) -> None:
    faults.inject("TransactWriteItems", fault, fault)
    table.write(Add(KEY, {"n": 1}), Put(row(sk="other")))
    assert faults.requests == ["TransactWriteItems"] * 3
    assert table.get(KEY) == row(n=1)


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("PutItem", lambda table: table.write(Put(row()))),
        ("UpdateItem", lambda table: table.write(Set(KEY, {"a": 1}))),
        ("DeleteItem", lambda table: table.write(Delete(KEY))),
        ("GetItem", lambda table: table.get(KEY)),
        ("BatchGetItem", lambda table: table.get_many([KEY])),
        ("Query", lambda table: table.query(Partition("p"))),
        ("Scan", lambda table: table.scan()),
    ],
)
def test_every_operation_is_retried(
    table: DynamoDbTable, faults: Faults, operation: str, call: Callable[[DynamoDbTable], object]
) -> None:
    faults.inject(operation, refuse("ThrottlingException"), cut_connection)
    call(table)
    assert faults.requests == [operation] * 3


def test_pauses_are_random_and_grow_until_the_deadline_and_then_the_table_is_busy(
    table: DynamoDbTable, faults: Faults, time: PassingTime
) -> None:
    faults.inject("TransactWriteItems", *[cancel("TransactionConflict")] * 10_000)
    with pytest.raises(Busy, match="TransactionConflict"):
        table.write(Add(KEY, {"n": 1}))
    assert DEADLINE - MAX_PAUSE < time.now < DEADLINE
    bounds = [min(MAX_PAUSE, MIN_PAUSE * 2**tries) for tries in range(len(time.pauses))]
    assert all(0 <= pause <= bound for pause, bound in zip(time.pauses, bounds, strict=True))
    assert len(set(time.pauses)) == len(time.pauses)
    assert table.get(KEY) is None


def test_a_response_with_a_wrong_checksum_is_not_used(table: DynamoDbTable, faults: Faults) -> None:
    table.write(Put(row(a=1)))
    faults.inject("GetItem", garble)
    assert table.get(KEY) == row(a=1)


def test_a_server_that_never_answers_in_time_is_busy(table: DynamoDbTable, faults: Faults) -> None:
    faults.inject("GetItem", *[lose_answer] * 1000)
    with pytest.raises(Busy):
        table.get(KEY)


def test_a_server_that_cannot_be_reached_is_unavailable(time: PassingTime) -> None:
    nowhere = connect(region="eu-central-1", endpoint=f"http://127.0.0.1:{free_port()}", access_key="a", secret_key="b")
    table = DynamoDbTable(nowhere, "any", deadline=1, clock=time.clock, sleep=time.sleep)
    for call in (table.check, table.scan, lambda: table.write(Put(row()))):
        with pytest.raises(Unavailable):
            call()
    assert time.pauses


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (Add(KEY, {"n": 1}), row(a=1, n=2)),
        (Set(KEY, {"a": 2}, when=(Equals("a", 1),)), row(a=2, n=1)),
        (Put(row(a=3), when=(Equals("a", 1),)), row(a=3)),
        (Delete(KEY, when=(Present(),)), None),
        (Put(row(b=1)), row(b=1)),
        (Set(KEY, {"b": 1}, remove=frozenset("a")), row(b=1, n=1)),
        (Delete(KEY), None),
        (Check(KEY, (Equals("n", 1),)), row(a=1, n=1)),
    ],
    ids=str,
)
def test_a_write_whose_response_was_lost_counts_once(
    table: DynamoDbTable, faults: Faults, change: Any, left: dict[str, Any] | None
) -> None:
    table.write(Put(row(a=1, n=1)))
    for operation in ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"):
        faults.inject(operation, lose_answer, lose_answer)
    table.write(change)
    assert len(faults.requests) == 1 + 3
    assert table.get(KEY) == left


def test_an_increment_whose_response_was_lost_skips_a_number(table: DynamoDbTable, faults: Faults) -> None:
    assert table.increment(KEY, "limit") == 1
    faults.inject("UpdateItem", lose_answer)
    assert [table.increment(KEY, "limit"), table.increment(KEY, "limit")] == [3, 4]


def test_a_failed_condition_whose_response_was_lost_still_fails(table: DynamoDbTable, faults: Faults) -> None:
    table.write(Put(row(a=1)))
    faults.inject("TransactWriteItems", lose_answer)
    with pytest.raises(ConditionFailed) as failed:
        table.write(Put(row(a=2), when=(Absent(),)))
    assert failed.value.found == row(a=1)


def test_only_a_single_change_without_conditions_goes_without_a_transaction(
    table: DynamoDbTable, faults: Faults
) -> None:
    table.write(Put(row()))
    table.write(Set(KEY, {"a": 1}))
    table.write(Delete(KEY))
    assert faults.requests == ["PutItem", "UpdateItem", "DeleteItem"]
    faults.requests.clear()
    table.write(Add(KEY, {"n": 1}))
    table.write(Check(KEY, (Present(),)))
    table.write(Put(row(), when=(Present(),)))
    table.write(Put(row()), token="once")
    table.write(Put(row()), Put(row("q")))
    assert faults.requests == ["TransactWriteItems"] * 5


def test_a_conflict_before_a_failed_condition_is_retried(table: DynamoDbTable, faults: Faults) -> None:
    faults.inject("TransactWriteItems", cancel("None", "TransactionConflict", "ConditionalCheckFailed"))
    table.write(Put(row("a")), Put(row("b")), Put(row("c"), when=(Absent(),)))
    assert len(faults.requests) == 2


def test_a_failed_condition_before_a_conflict_is_raised_at_once(table: DynamoDbTable, faults: Faults) -> None:
    faults.inject("TransactWriteItems", cancel("None", "ConditionalCheckFailed", "TransactionConflict"))
    with pytest.raises(ConditionFailed) as failed:
        table.write(Put(row("a")), Put(row("b"), when=(Absent(),)), Put(row("c")))
    assert (failed.value.position, failed.value.found) == (1, None)
    assert len(faults.requests) == 1


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (refuse("AccessDeniedException"), Unavailable),
        (refuse("UnrecognizedClientException"), Unavailable),
        (refuse("ResourceNotFoundException"), Unavailable),
        (cancel("AccessDenied"), Unavailable),
        (refuse("ItemCollectionSizeLimitExceededException"), StorageFull),
        (cancel("ItemCollectionSizeLimitExceeded"), StorageFull),
    ],
)
def test_permanent_errors_are_raised_at_once(
    table: DynamoDbTable, faults: Faults, fault: Fault, error: type[Exception]
) -> None:
    faults.inject("TransactWriteItems", fault)
    with pytest.raises(error):
        table.write(Add(KEY, {"n": 1}))
    assert len(faults.requests) == 1


def test_an_error_about_a_missing_table_says_how_to_create_it(client: "DynamoDBClient", time: PassingTime) -> None:
    table = DynamoDbTable(client, "nothing-here", clock=time.clock, sleep=time.sleep)
    with pytest.raises(BadSetting, match="no table nothing-here: create it with `sparks create`"):
        table.check()
    with pytest.raises(Unavailable, match="create it with `sparks create`"):
        table.get(KEY)
    assert time.pauses == []


def test_a_table_that_is_not_ready_fails_its_check(table: DynamoDbTable, faults: Faults) -> None:
    faults.inject("DescribeTable", answer(200, {"Table": {"TableStatus": "CREATING"}}))
    with pytest.raises(Unavailable, match="CREATING"):
        table.check()
    table.check()


def leave_unread(body: dict[str, Any]) -> dict[str, Any]:
    """As if the server was too busy to read more than a few keys."""
    [(name, items)] = body["Responses"].items()
    keys = [{"PK": item["PK"], "SK": item["SK"]} for item in items[3:]]
    return {"Responses": {name: items[:3]}, "UnprocessedKeys": {name: {"Keys": keys, "ConsistentRead": True}}}


def test_unprocessed_keys_are_requested_again(table: DynamoDbTable, faults: Faults) -> None:
    rows = [row(f"{n}") for n in range(10)]
    fill(table, rows)
    faults.requests.clear()
    faults.inject("BatchGetItem", change_answer(leave_unread), change_answer(leave_unread))
    assert table.get_many([key_of(item) for item in rows]) == {key_of(item): item for item in rows}
    assert faults.requests == ["BatchGetItem"] * 3


def test_keys_that_stay_unprocessed_make_the_table_busy(table: DynamoDbTable, faults: Faults) -> None:
    def read_nothing(body: dict[str, Any]) -> dict[str, Any]:
        [name] = body["Responses"]
        return {"Responses": {}, "UnprocessedKeys": {name: {"Keys": [{"PK": {"S": "p"}, "SK": {"S": "s"}}]}}}

    faults.inject("BatchGetItem", *[change_answer(read_nothing)] * 1000)
    with pytest.raises(Busy):
        table.get_many([KEY])


def empty_with_cursor(sk: str) -> Fault:
    cursor = {"PK": {"S": "p"}, "SK": {"S": sk}}
    return answer(200, {"Items": [], "Count": 0, "ScannedCount": 0, "LastEvaluatedKey": cursor})


def test_an_empty_page_with_a_cursor_is_followed(table: DynamoDbTable, faults: Faults) -> None:
    fill(table, [row(sk=sk) for sk in "abcd"])
    faults.inject("Query", empty_with_cursor("a"), empty_with_cursor("b"))
    assert table.query(Partition("p"), limit=2) == Page([row(sk="c"), row(sk="d")], None)
    faults.inject("Scan", empty_with_cursor("c"))
    assert table.scan() == Page([row(sk="d")], None)


def test_a_page_with_a_cursor_and_no_further_items_is_the_last(table: DynamoDbTable, faults: Faults) -> None:
    """DynamoDB Local refuses to continue from the exact end of a span, even where it returned that key itself."""
    fill(table, [row(sk="a")])
    cursor = {"PK": {"S": "p"}, "SK": {"S": "a"}}
    for span in (EVERYTHING, Between("a", "a"), Prefix("a")):
        for newest_first in (False, True):
            faults.inject("Query", change_answer(lambda body: body | {"LastEvaluatedKey": cursor}))
            assert table.query(Partition("p"), span, newest_first=newest_first) == Page([row(sk="a")], None)


def test_values_that_only_other_writers_write_are_read(client: "DynamoDBClient", table: DynamoDbTable) -> None:
    values = {"tags": {"SS": ["a"]}, "numbers": {"NS": ["1", "2.5"]}, "title": {"NULL": True}}
    foreign: Any = {"PK": {"S": "p"}, "SK": {"S": "s"}, **values}
    client.put_item(TableName=table._name, Item=foreign)
    found = table.get(KEY)
    assert found is not None
    assert sorted(found["numbers"]) == [1, Decimal("2.5")]
    assert {name: found[name] for name in found if name != "numbers"} == {"PK": "p", "SK": "s", "tags": ["a"]}
