"""Password input: prompted twice, or read from stdin or a file."""

import sys
from typing import Final

import click

from sparks.model.errors import BadInput

MAX_BYTES_READ: Final = 10_000  # far more than a password may have

password_option = click.option("--password-stdin", is_flag=True, help="Read the password from stdin, without a prompt.")


def ask_password(email: str, *, from_stdin: bool) -> str:
    """A valid password for this account. On a terminal, prompts until there is one; otherwise BadInput."""
    from sparks.auth.passwords import checked_password

    if sys.stdin is not None and sys.stdin.isatty():
        return _typed(email)
    if not from_stdin or sys.stdin is None:
        raise click.UsageError("there is no terminal to type the password: pipe it in with --password-stdin")
    return checked_password(read_password_file(sys.stdin.buffer.read(MAX_BYTES_READ)), email=email)


def read_password_file(content: bytes) -> str:
    """The only line of the content; BadInput where it is empty or has several lines."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("the password is not UTF-8 text") from None  # the error would show some of it
    line = text.removesuffix("\n").removesuffix("\r")
    if not line:
        raise BadInput("there is no password: the text is empty")
    if len(line.splitlines()) > 1:
        raise BadInput("a password is one line: there are several")
    return line


def _typed(email: str) -> str:
    from sparks.auth.passwords import checked_password

    while True:
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        try:
            return checked_password(read_password_file(typed.encode(errors="surrogateescape")), email=email)
        except BadInput as error:
            click.echo(f"Error: {error}", err=True)
