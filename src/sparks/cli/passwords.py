"""Passwords as commands get them: typed twice at a terminal, or one line of stdin or of a file."""

import sys
from typing import Final

import click

from sparks.model.errors import BadInput

MOST_BYTES_READ: Final = 10_000  # far more than a password has: enough to tell that it is too long

password_option = click.option("--password-stdin", is_flag=True, help="Read the password from stdin; do not ask.")


def ask_password(email: str, *, from_stdin: bool) -> str:
    """A password that this account may have. At a terminal it is asked for until it is one; otherwise BadInput."""
    from sparks.auth.passwords import checked_password

    if sys.stdin is not None and sys.stdin.isatty():
        return _typed(email)
    if not from_stdin or sys.stdin is None:
        raise click.UsageError("there is no terminal to ask for the password: pipe it in, and say --password-stdin")
    return checked_password(password_in(sys.stdin.buffer.read(MOST_BYTES_READ)), email=email)


def password_in(content: bytes) -> str:
    """The password that is alone in its line; BadInput where there is none, or more than that."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("the password is not UTF-8 text") from None  # the error would show some of it
    line = text.removesuffix("\n").removesuffix("\r")
    if not line:
        raise BadInput("there is no password: nothing stands there")
    if len(line.splitlines()) > 1:
        raise BadInput("a password is one line, and there are more")
    return line


def _typed(email: str) -> str:
    from sparks.auth.passwords import checked_password

    while True:
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        try:
            return checked_password(password_in(typed.encode(errors="surrogateescape")), email=email)
        except BadInput as error:
            click.echo(f"Error: {error}", err=True)
