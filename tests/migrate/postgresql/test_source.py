"""Reading of a PostgreSQL source."""

import uuid
from decimal import Decimal
from typing import Any

import pytest

from sparks.migrate.postgresql.source import TABLES, Source
from sparks.model.errors import BadInput, Unavailable
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user
from tests.servers.postgresql import LegacyDatabase, PostgresqlServer
from tests.servers.process import free_port


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "mysql://root@localhost/db", "postgresql://host:port/db", "postgresql://host:1,2x/db"],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="address of the source"):
        Source.connect(url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadInput, match="PGPASSWORD") as refused:
        Source.connect("postgresql://user:sesame@127.0.0.1/db")
    assert "sesame" not in str(refused.value)


def test_an_address_without_a_server_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        Source.connect(f"postgresql://user@127.0.0.1:{free_port()}/db")


def test_a_database_that_is_not_there_is_unavailable(database: LegacyDatabase) -> None:
    with pytest.raises(Unavailable, match="no_such"):
        Source.connect(database.owner_url.replace(database.name, "no_such"))


def test_the_tables_of_document_004_pass_the_check(source: Source) -> None:
    source.check_tables()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("DROP TABLE gallery_images", "table gallery_images"),
        ("ALTER TABLE gallery_images DROP COLUMN alt_text, DROP COLUMN tags", "gallery_images .* alt_text, tags"),
        ("ALTER TABLE gallery_images DROP COLUMN id, ADD COLUMN id bigint", "column id of gallery_images is bigint"),
        ("ALTER TABLE gallery_images RENAME TO g; CREATE VIEW gallery_images AS SELECT * FROM g", "gallery_images"),
    ],
)
def test_a_table_or_column_that_is_missing_is_named(source: Source, superuser: App, change: str, named: str) -> None:
    superuser.execute(change)
    with pytest.raises(BadInput, match=named):
        source.check_tables()


def test_another_table_cannot_be_read(source: Source) -> None:
    with pytest.raises(BadInput, match="pg_class"):
        source.count("pg_class")
    with pytest.raises(BadInput, match="no column"):
        source.rows_of("users", "true OR email", "x", None, 10)


def test_pages_hold_every_row_once_in_the_order_of_ids(source: Source, app: App) -> None:
    ids = sorted(add_user(app) for _ in range(7))
    first = source.page("users", None, 3)
    second = source.page("users", first[-1]["id"], 3)
    third = source.page("users", second[-1]["id"], 3)
    assert [row["id"] for page in (first, second, third) for row in page] == ids
    assert source.page("users", third[-1]["id"], 3) == []
    assert source.count("users") == len(ids)


def test_rows_are_found_by_their_ids_as_they_are_now(source: Source, app: App) -> None:
    first, second = add_user(app, username="Ann"), add_user(app, username="Ben")
    app.execute("UPDATE users SET username = 'Anna' WHERE id = %s", (first,))
    found = source.rows("users", [first, second, str(uuid.uuid4())])
    assert {key: row["username"] for key, row in found.items()} == {first: "Anna", second: "Ben"}
    assert source.rows("users", []) == {}


def test_rows_are_found_by_their_parent_page_by_page(source: Source, app: App) -> None:
    user, other = add_user(app), add_user(app)
    images = sorted(add_image(app, user) for _ in range(3))
    add_image(app, other)
    first = source.rows_of("gallery_images", "user_id", user, None, 2)
    rest = source.rows_of("gallery_images", "user_id", user, first[-1]["id"], 2)
    assert [row["id"] for row in [*first, *rest]] == images


def test_a_row_has_all_columns_as_json_has_them(source: Source, app: App) -> None:
    user = add_user(app)
    album = add_album(app, user, description=None)
    image = add_image(app, user, album_id=album, tags='["a", "b"]', created_at="2020-02-29 12:00:00.123456+05:30")
    [row] = source.page("gallery_images", None, 10)
    assert (row["id"], row["user_id"], row["album_id"]) == (image, user, album)
    assert (row["file_size"], row["width"], row["tags"]) == (1, None, ["a", "b"])
    assert row["created_at"] == "2020-02-29T06:30:00.123456+00:00"  # the server's zone is another


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("infinity", "infinity"),
        ("-infinity", "-infinity"),
        ("12345-06-07 08:09:10+00", "12345-06-07T08:09:10+00:00"),
        ("0044-03-15 12:00:00+00 BC", "0044-03-15T12:00:00+00:00 BC"),
        ("294276-12-31 23:59:59.999999+00", "294276-12-31T23:59:59.999999+00:00"),
    ],
)
def test_times_that_python_cannot_hold_are_read_as_text(source: Source, app: App, given: str, read: str) -> None:
    user = add_user(app, created_at=given)
    assert source.rows("users", [user])[user]["created_at"] == read


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("null", None),
        ('"word"', "word"),
        ("1.10", Decimal("1.10")),
        ("1e400", 10**400),
        ("1e5000", Decimal("1e5000")),
        ("-1e-400", Decimal("-1e-400")),
        ('{"a": [{"b": null}], "a ": false}', {"a": [{"b": None}], "a ": False}),
        ('["\\ud83c\\udf82", "\\u2028", "\\\\u0000"]', ["🎂", "\u2028", "\\u0000"]),
    ],
)
def test_json_of_every_kind_is_read(source: Source, app: App, given: str, read: Any) -> None:
    image = add_image(app, add_user(app), tags=given)
    assert source.rows("gallery_images", [image])[image]["tags"] == read


def test_json_that_is_nested_too_deep_for_python_is_read_as_text(source: Source, app: App) -> None:
    deep = "[" * 5000 + "]" * 5000
    image = add_image(app, add_user(app), tags=deep, title="deep")
    row = source.rows("gallery_images", [image])[image]
    assert (row["tags"], row["title"], row["width"], row["file_size"]) == (deep, "deep", None, 1)


def test_long_texts_and_letters_of_all_planes_are_read_to_the_letter(source: Source, app: App) -> None:
    text = "Straße 家族 🎂 'quoted' \"twice\" \\ \t\n\u202e\ufeff" + "x" * 65536
    image = add_image(app, add_user(app), description=text)
    assert source.rows("gallery_images", [image])[image]["description"] == text


def test_columns_that_document_004_does_not_know_are_read(source: Source, app: App, superuser: App) -> None:
    superuser.execute(
        "ALTER TABLE users ADD COLUMN score numeric DEFAULT 'NaN', ADD COLUMN ratio float8 DEFAULT 'Infinity',"
        " ADD COLUMN secret bytea DEFAULT '\\x00ff', ADD COLUMN span interval DEFAULT '1 month'"
    )
    user = add_user(app)
    row = source.rows("users", [user])[user]
    assert (row["score"], row["ratio"], row["secret"]) == ("NaN", "Infinity", "\\x00ff")
    assert "span" in row


def test_rows_that_a_policy_would_hide_make_reading_fail(source: Source, app: App, superuser: App) -> None:
    add_user(app)
    superuser.execute("ALTER TABLE users ENABLE ROW LEVEL SECURITY; ALTER TABLE users FORCE ROW LEVEL SECURITY")
    with pytest.raises(BadInput, match="policy"):
        source.page("users", None, 10)


def test_settings_of_the_role_do_not_change_what_is_read(database: LegacyDatabase, app: App, superuser: App) -> None:
    superuser.execute(
        "ALTER ROLE legacy_owner SET DateStyle = 'German'; ALTER ROLE legacy_owner SET TimeZone = 'Asia/Kolkata';"
        f"ALTER DATABASE {database.name} SET default_transaction_isolation = 'serializable'"
    )
    user = add_user(app, created_at="2020-01-02 00:00:00+00")
    try:
        source = Source.connect(database.owner_url)
        assert source.rows("users", [user])[user]["created_at"] == "2020-01-02T00:00:00+00:00"
        assert source.session.fetch("SHOW transaction_isolation") == [("read committed",)]
        source.close()
    finally:
        superuser.execute("ALTER ROLE legacy_owner RESET ALL")


def test_a_lost_connection_is_opened_again(source: Source, app: App, superuser: App) -> None:
    user = add_user(app)
    assert source.count("users") == 1
    ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sparks migrate'"
    superuser.execute(f"{ended} AND datname = current_database()")
    assert [row["id"] for row in source.page("users", None, 10)] == [user]


def test_a_source_is_read_on_after_its_server_was_restarted() -> None:
    with PostgresqlServer("fsync=off") as server:
        source = Source.connect(server.new_database().owner_url, patience=0.5)
        server.restart()
        assert [source.count(table) for table in TABLES] == [0, 0, 0]
        server.kill()
        with pytest.raises(Unavailable, match="cannot be reached"):
            source.count("users")
        server.start()
        assert source.count("users") == 0
        source.close()
