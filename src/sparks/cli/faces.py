"""`sparks faces`: who was found in the photos, and persons thought over."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
import msgspec

from sparks.cli.amounts import shown_photos
from sparks.cli.import_ import INTERRUPTED
from sparks.cli.options import json_option, print_json, say, with_data
from sparks.model.photo import FaceStatus
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.library.people import SeenFace, Survey
    from sparks.model.terms import FaceTerms


@click.group()
def faces() -> None:
    """Faces that were found in the photos, and the persons they are.

    \b
    Examples:
      sparks faces stats
      sparks faces rebuild --full
      sparks faces export --json > faces.jsonl
    """


# -- Rebuilding


@faces.command()
@click.option("--full", is_flag=True, help="Think over all faces, not only those that came since the last time.")
@click.option("--max-faces", type=click.IntRange(min=1), metavar="NUMBER", help="Look at no more new faces than these.")
@json_option
@with_data
def rebuild(settings: Settings, *, full: bool, max_faces: int | None, as_json: bool) -> None:
    """Look for faces in photos where nobody has, and group new faces into persons.

    A server does both by itself, some seconds after photos came. With --full, all faces are thought over, as after a
    threshold was changed: names, ids and whatever people decided stay as they are. A run that was interrupted goes on
    where it was.

    \b
    Examples:
      sparks faces rebuild
      sparks faces rebuild --full --json
    """
    from sparks.cli.faces_rebuild import look_for_faces, regroup
    from sparks.logs import configure_logs
    from sparks.wiring import missing_engine, open_stores

    if full and max_faces is not None:
        raise click.UsageError("--full is about all faces: leave --max-faces out")
    quiet = settings.source("log_level") == "default"
    configure_logs(form=settings.log_format, level="warning" if quiet else settings.log_level)
    began = time.monotonic()
    try:
        with open_stores(settings) as stores:
            if stores.terms.faces is None:
                raise click.ClickException("faces are switched off: set the setting faces to true")
            looked = look_for_faces(settings, stores)
            told = regroup(settings, stores, full=full, max_faces=max_faces)
            missing = missing_engine(stores.terms)
    except KeyboardInterrupt:
        click.echo("sparks: interrupted: run it again to go on", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    if looked.in_vain:
        click.echo(_in_vain(looked.in_vain, missing), err=True)
    if as_json:
        print_json({**told, "photos": looked.at, "seconds": round(time.monotonic() - began, 1)})
    else:
        say(_in_words(told, looked.at))


def _in_vain(photos: int, missing: str) -> str:
    why = missing or "the log of whoever runs the jobs tells why"
    return f"sparks: faces could not be looked for in {shown_photos(photos)}: {why}"


def _in_words(told: Mapping[str, Any], looked_at: int) -> str:
    looked = f"looked for faces in {shown_photos(looked_at)}; " if looked_at else ""
    created, updated = told["createdPersons"], told["updatedPersons"]
    return f"{looked}thought over {told['processedFaces']:,} faces: {created:,} new persons, {updated:,} changed"


# -- Telling


@faces.command()
@json_option
@with_data
def stats(settings: Settings, *, as_json: bool) -> None:
    """Count photos, faces and persons, and tell how far finding them is.

    \b
    Examples:
      sparks faces stats
      sparks faces stats --json
    """
    from sparks.library.people import survey
    from sparks.wiring import missing_engine, open_stores

    with open_stores(settings) as stores:
        told = _as_json(survey(table=stores.table), stores.terms.faces, missing=missing_engine(stores.terms))
    if as_json:
        print_json(told)
    else:
        for line in _lines(told):
            say(line)


def _as_json(found: "Survey", known: "FaceTerms | None", *, missing: str) -> dict[str, Any]:
    return {
        "engine": None if known is None else known.engine,
        "missing": missing or None,
        "photos": {status.value: count for status, count in found.photos.items()},
        "faces": sum(found.faces.values()),
        "facesByEngine": {name or "drawn by hand": count for name, count in sorted(found.faces.items(), key=str)},
        "waiting": found.waiting,
        "persons": found.persons,
        "named": found.named,
        "hidden": found.hidden,
        "suggestions": found.suggestions,
        "forgotten": found.forgotten,
    }


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield "faces are switched off" if told["engine"] is None else f"engine   {told['engine']}"
    if told["missing"]:
        yield f"no faces can be looked for: {told['missing']}"
    raw, indexed, failed = (told["photos"][status.value] for status in FaceStatus)
    yield f"photos   {indexed:,} looked at, {raw:,} not yet, {failed:,} failed"
    yield f"faces    {told['faces']:,}, of them {told['waiting']:,} of nobody as yet"
    yield f"persons  {told['persons']:,}, of them {told['named']:,} with a name, {told['hidden']:,} hidden"
    if told["suggestions"]:
        times = "once" if told["suggestions"] == 1 else f"{told['suggestions']:,} times"
        yield f"asked    {times} whether two are the same person"
    if told["forgotten"]:
        yield f"forgotten {told['forgotten']:,} who are not to be recognised"


@faces.command()
@json_option
@with_data
def export(settings: Settings, *, as_json: bool) -> None:
    """Print every face: a line each, with its photo and whose it is. With --json, a JSON object a line.

    \b
    Examples:
      sparks faces export
      sparks faces export --json > faces.jsonl
    """
    from sparks.library.people import seen_faces
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        for seen in seen_faces(table=stores.table):
            say(_json_line(seen) if as_json else _line(seen))


def _json_line(seen: "SeenFace") -> str:
    box = seen.face.box
    told = {
        "originalFilename": seen.photo.original_filename,
        "imageId": seen.face.image_id,
        "faceId": seen.face.face_id,
        "bbox": {"Left": box.left, "Top": box.top, "Width": box.width, "Height": box.height},
        "personId": None if seen.person is None else seen.person.person_id,
        "displayName": None if seen.person is None else seen.person.display_name,
    }
    return msgspec.json.encode(told).decode()


def _line(seen: "SeenFace") -> str:
    who = "nobody as yet" if seen.person is None else seen.person.display_name
    return f"{seen.face.image_id}  {seen.face.face_id}  {seen.photo.original_filename or '-'}  {who}"
