"""`sparks`: the command that all others belong to, and how it ends."""

import sys
from pathlib import Path

import click

from sparks import __version__
from sparks.cli.create import create
from sparks.cli.jobs import jobs
from sparks.cli.secrets import secrets
from sparks.cli.serve import serve
from sparks.cli.settings import settings
from sparks.cli.worker import worker
from sparks.model.errors import BadSetting, SparksError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="sparks %(version)s")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the database, the photos and the secrets.")
@click.option("--config", type=click.Path(path_type=Path), help="Settings file (TOML); by default DATA/sparks.toml.")
@click.pass_context
def cli(context: click.Context, data: Path | None, config: Path | None) -> None:
    """Sparks: a photo-sharing platform that knows who is in the picture.

    Exit codes: 0 all went well, 1 it failed, 2 the command or a setting is wrong.

    \b
    Examples:
      sparks serve
      sparks --data /srv/sparks settings
    """
    context.obj = {"data": data, "config": config}


for command in (serve, worker, settings, secrets, jobs, create):
    cli.add_command(command)


def main() -> None:
    try:
        cli(prog_name="sparks")
    except SparksError as error:
        print(f"sparks: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, BadSetting) else 1)
