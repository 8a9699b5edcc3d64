"""Settings: their sources, which source wins, and the messages about wrong values."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparks.model.errors import BadSetting
from sparks.settings import Settings, environment_for_child, load_settings, unknown_variables
from sparks.settings.definitions import variable
from sparks.settings.field_types import setting_type

COMPUTED = {"public_url": "from host and port", "workers": "one per core"}
DOCS = Path(__file__).parents[1] / "docs" / "configuration.md"
KEY = {"SPARKS_AWS_ACCESS_KEY_ID": "AKIDTHATISSECRET", "SPARKS_AWS_SECRET_ACCESS_KEY": "hush-hush"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def write_file(data: Path, content: str) -> Path:
    data.mkdir(exist_ok=True)
    path = data / "sparks.toml"
    path.write_text(content)
    return path


def error_message(options: dict[str, object], environment: dict[str, str]) -> str:
    with pytest.raises(BadSetting) as caught:
        load_settings(options, environment)
    return str(caught.value)


def test_without_any_source_the_defaults_hold() -> None:
    settings = load_settings({}, {})
    assert (settings.host, settings.port, settings.table, settings.drain_seconds) == ("127.0.0.1", 8000, "sqlite", 10)
    assert settings.data == Path("data").absolute()
    assert settings.workers >= 1
    assert {settings.source(name) for name in Settings.model_fields} == {"default"}


def test_the_file_overrides_defaults_the_environment_the_file_and_options_all(data: Path) -> None:
    write_file(data, 'port = 1\nhost = "file"\nbucket = "file"\nlog_level = "error"')
    environment = {"SPARKS_DATA": str(data), "SPARKS_PORT": "2", "SPARKS_HOST": "variable"}
    settings = load_settings({"port": 3}, environment)
    assert (settings.port, settings.host, settings.bucket, settings.queue) == (3, "variable", "file", "sparks")


def test_each_value_knows_its_source(data: Path) -> None:
    path = write_file(data, 'bucket = "photos"')
    settings = load_settings({"data": data, "port": "3"}, {"SPARKS_HOST": "::1"})
    names = ("data", "port", "host", "bucket", "queue")
    assert [settings.source(name) for name in names] == [
        "--data", "--port", "SPARKS_HOST", f"bucket in {path}", "default",
    ]  # fmt: skip


def test_a_named_file_is_read_instead_of_the_one_in_the_data_folder(data: Path, tmp_path: Path) -> None:
    write_file(data, "port = 1")
    (tmp_path / "other.toml").write_text("port = 2")
    (tmp_path / "third.toml").write_text("port = 3")
    environment = {"SPARKS_DATA": str(data), "SPARKS_CONFIG": str(tmp_path / "other.toml")}
    assert load_settings({}, environment).port == 2
    assert load_settings({"config": tmp_path / "third.toml"}, environment).port == 3


def test_a_named_file_may_choose_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "here.toml").write_text(f'data = "{tmp_path}/elsewhere"')
    assert load_settings({"config": tmp_path / "here.toml"}, {}).data == tmp_path / "elsewhere"


def test_a_file_in_the_data_folder_cannot_choose_another(data: Path) -> None:
    write_file(data, 'data = "/elsewhere"')
    assert "cannot name another data folder" in error_message({"data": data}, {})


def test_a_named_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "No such file" in error_message({"config": tmp_path / "none.toml"}, {})


def test_a_file_that_is_not_toml_is_refused_with_the_line(data: Path) -> None:
    path = write_file(data, "port = 1\nhost: here")
    message = error_message({"data": data}, {})
    assert str(path) in message
    assert "line 2" in message


def test_an_unknown_key_in_the_file_is_refused_with_the_nearest_name(data: Path) -> None:
    path = write_file(data, 'publc_url = "http://here"')
    assert error_message({"data": data}, {}) == f"publc_url in {path} is not a setting: did you mean public_url?"


def test_unknown_variables_are_listed_with_the_nearest_name() -> None:
    environment = {"SPARKS_PROT": "1", "SPARKS_XYZZY": "1", "SPARKS_CONFIG": "", "SPARKS_PORT": "1", "PATH": "/bin"}
    assert unknown_variables(environment) == [
        "SPARKS_PROT is not a setting: did you mean SPARKS_PORT?",
        "SPARKS_XYZZY is not a setting",
    ]


def test_an_empty_variable_counts_as_not_set() -> None:
    assert load_settings({}, {"SPARKS_BUCKET": "", "SPARKS_CONFIG": ""}).bucket == "sparks"


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("table", "mysql", "one of: sqlite, dynamodb"),
        ("vectors", "abacus", "one of: embedded"),
        ("search", "grep", "one of: embedded"),
        ("port", "http", "a whole number from 0 to 65535"),
        ("port", "65536", "a whole number from 0 to 65535"),
        ("workers", "-1", "a whole number from 0 to 256"),
        ("drain_seconds", "0", "a whole number from 1 to 600"),
        ("public_url", "photos.example.org", "an address that begins with http:// or https://, without a path"),
        ("s3_endpoint", "ftp://here", "an address that begins with http:// or https://"),
        ("queue", "a queue", "a name of 1 to 60 characters of A-Z a-z 0-9 _ -"),
        ("host", " ", "a word without spaces"),
        ("max_pixels", "0", "a whole number from 1 to 1073741824"),
        ("max_duration", "1 h", "a whole number from 1 to 86400"),
        *(
            (
                "rendition_sizes",
                sizes,
                (
                    "a list of names in small letters with the longest side in pixels, 1 to 16383, such as hd=3840, "
                    "with commas between them; each once, and not large, medium, thumb, original, video or motion"
                ),
            )
            for sizes in ("hd", "thumb=100", "hd=0", "hd=16384", "HD=100", "hd=1,hd", "hd=1,hd=2")
        ),
    ],
)
def test_a_wrong_value_names_the_setting_and_what_it_accepts(name: str, value: str, wanted: str) -> None:
    assert error_message({}, {variable(name): value}) == f"{variable(name)}: {value!r} is not {wanted}"


def test_a_wrong_value_names_the_file_or_the_option_it_came_from(data: Path) -> None:
    path = write_file(data, 'workers = "many"')
    message = error_message({"data": data, "log_level": "loud"}, {})
    assert f"workers in {path}: 'many' is not a whole number" in message
    assert "--log-level: 'loud' is not one of: debug, info, warning, error" in message


def test_one_half_of_a_key_is_refused_without_showing_it() -> None:
    message = error_message({}, {"SPARKS_AWS_SECRET_ACCESS_KEY": "hush-hush"})
    assert "go together" in message
    assert "hush" not in message


def test_a_wrong_secret_is_not_repeated(data: Path) -> None:
    write_file(data, "aws_secret_access_key = 4711")
    message = error_message({"data": data}, {})
    assert message.startswith("aws_secret_access_key in ")
    assert "4711" not in message


def test_secrets_are_masked_wherever_settings_are_shown() -> None:
    settings = load_settings({}, KEY)
    shown = repr(settings) + str(settings) + "".join(str(settings.shown(name)) for name in Settings.model_fields)
    assert not [secret for secret in KEY.values() if secret in shown]


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings({}, {}).port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("::1", "http://[::1]:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),  # noqa: S104  not bound to
        ("::", "http://[::1]:80"),
        ("photos.example.org", "http://photos.example.org:80"),
    ],
)
def test_the_public_url_follows_host_and_port_unless_it_is_set(host: str, url: str) -> None:
    assert load_settings({"host": host, "port": 80}, {}).public_url == url
    assert load_settings({"host": host}, {"SPARKS_PUBLIC_URL": "https://x.org/"}).public_url == "https://x.org"


def test_a_free_port_shows_in_the_public_url_once_it_is_known() -> None:
    assert load_settings({"port": 0}, {}).listening_on(4711).public_url == "http://127.0.0.1:4711"
    settings = load_settings({"port": 0, "public_url": "https://x.org"}, {}).listening_on(4711)
    assert (settings.port, settings.public_url) == (4711, "https://x.org")


def test_a_child_has_exactly_the_same_settings_whatever_becomes_of_the_file(data: Path) -> None:
    path = write_file(data, 'port = 1\nbucket = "photos"')
    ours = load_settings({"data": data, "workers": 7}, KEY)
    path.write_text("this is no longer TOML")
    environment = environment_for_child(ours, {"SPARKS_HOST": "elsewhere", "SPARKS_TYPO": "1", "PATH": os.defpath})
    assert load_settings({}, environment).model_dump() == ours.model_dump()
    assert environment["PATH"] == os.defpath
    assert unknown_variables(environment) == []


def table_row(name: str) -> str:
    field = Settings.model_fields[name]
    plain = str(field.default).lower() if isinstance(field.default, bool) else field.default
    default = COMPUTED.get(name) or ("" if plain in (None, ()) else f"`{plain}`")
    return f"| `{name}` | {setting_type(field)} | {default} | {field.description} |"


def test_the_reference_names_every_setting_as_the_code_does() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [table_row(name) for name in Settings.model_fields]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("", "a folder must be named"),
        ("~nobody-of-this-name/x", "write the whole path"),
        ("a" * 300, "File name too long"),
        ("a\udcffb", "is not UTF-8"),
        ("/dev/null", "is not a folder"),
        ("/dev/null/x", "is not a folder"),
    ],
)
def test_an_impossible_data_folder_is_refused_with_what_to_do(named: str, message: str, tmp_path: Path) -> None:
    assert error_message({"data": named}, {}).startswith("--data: ")
    assert message in error_message({"data": named}, {})
    if named.isprintable():
        (tmp_path / "here.toml").write_text(f'data = "{named}"')
        assert message in error_message({"config": tmp_path / "here.toml"}, {})


def test_a_data_folder_without_permission_is_refused(tmp_path: Path) -> None:
    """In another process, which gives up the rights of the superuser, if it has them."""
    (tmp_path / "closed").mkdir(mode=0)
    script = "import os; from sparks.cli.main import main; os.getuid() or os.setuid(65534); main()"
    ended = run_script(script, "--data", "closed/data", "settings", folder=tmp_path)
    assert (ended.returncode, "Permission denied" in ended.stderr, len(ended.stderr.splitlines())) == (2, True, 1)


def test_a_deleted_working_directory_is_reported(tmp_path: Path) -> None:
    script = "from sparks.cli.main import main; import os; os.rmdir(os.getcwd()); main()"
    ended = run_script(script, "settings", folder=tmp_path)
    assert (ended.returncode, ended.stderr) == (
        2,
        "sparks: data: the working directory was deleted: change to another one, or write the whole path\n",
    )


def run_script(script: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPARKS_")}
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)


def test_a_section_in_the_file_is_refused_with_what_to_do(data: Path) -> None:
    path = write_file(data, "[server]\nport = 1")
    assert error_message({"data": data}, {}) == f"[server] in {path}: write settings at the top, without [sections]"


def test_true_is_not_a_number(data: Path) -> None:
    write_file(data, "port = true")
    assert "True is not a whole number" in error_message({"data": data}, {})


def test_a_file_may_begin_with_a_byte_order_mark(data: Path) -> None:
    write_file(data, "\ufeffport = 1")
    assert load_settings({"data": data}, {}).port == 1


def test_values_of_the_log_settings_may_be_in_capitals() -> None:
    settings = load_settings({}, {"SPARKS_LOG_LEVEL": "DEBUG", "SPARKS_LOG_FORMAT": "Json"})
    assert (settings.log_level, settings.log_format) == ("debug", "json")
