"""`sparks`: the command group, its error messages and exit codes."""

import os
import sys

import click

from sparks import __version__
from sparks.cli.create import create
from sparks.cli.evolve import evolve
from sparks.cli.export import export
from sparks.cli.faces import faces
from sparks.cli.import_photos import import_
from sparks.cli.jobs import jobs
from sparks.cli.key import key
from sparks.cli.migrate import migrate
from sparks.cli.options import EXIT_INTERRUPTED
from sparks.cli.renditions import renditions
from sparks.cli.search import search
from sparks.cli.secrets import secrets
from sparks.cli.serve import serve
from sparks.cli.settings import settings
from sparks.cli.sweep import sweep
from sparks.cli.user import user
from sparks.cli.worker import worker
from sparks.logs import allows_colors
from sparks.model.errors import BadInput, BadSetting, SparksError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="sparks %(version)s")
@click.option("--data", metavar="FOLDER", help="Folder of the database, the photos and the secrets.")
@click.option("--config", metavar="FILE", help="Settings file (TOML); by default DATA/sparks.toml.")
@click.pass_context
def cli(context: click.Context, data: str | None, config: str | None) -> None:
    """Sparks: a photo-sharing platform that knows who is in the picture.

    Exit codes: 0 all went well, 1 it failed, 2 the command or a setting is wrong, 130 interrupted.

    \b
    Examples:
      sparks serve
      sparks --data /srv/sparks settings
    """
    context.obj = {"data": data, "config": config}
    if not allows_colors(os.environ):
        context.color = False


for command in (
    serve,
    worker,
    import_,
    export,
    user,
    key,
    settings,
    secrets,
    jobs,
    create,
    sweep,
    renditions,
    faces,
    search,
    migrate,
    evolve,
):
    cli.add_command(command)


def main() -> None:
    try:
        sys.exit(cli.main(prog_name="sparks", standalone_mode=False) or 0)
    except SparksError as error:
        print(f"sparks: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, BadSetting | BadInput) else 1)
    except click.ClickException as error:
        if isinstance(error, click.UsageError):
            error.show()
        else:
            print(f"sparks: {error.format_message()}", file=sys.stderr)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(EXIT_INTERRUPTED)
