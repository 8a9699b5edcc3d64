"""`sparks faces`: rebuild, statistics and export of faces and persons."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
import msgspec

from sparks.cli.options import EXIT_INTERRUPTED, configure_command_logs, json_option, print_json, print_line, with_data
from sparks.cli.quantities import format_photos
from sparks.model.photo import FaceStatus
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.library.people.people_statistics import FaceWithPerson, PeopleStatistics
    from sparks.model.pipeline_settings import FacePipelineSettings


@click.group()
def faces() -> None:
    """Find faces in photos and group them into persons.

    \b
    Examples:
      sparks faces stats
      sparks faces rebuild --full
      sparks faces export --json > faces.jsonl
    """


@faces.command()
@click.option("--full", is_flag=True, help="Group all faces again, not only the new ones.")
@click.option("--max-faces", type=click.IntRange(min=1), metavar="NUMBER", help="Group at most this many new faces.")
@json_option
@with_data
def rebuild(settings: Settings, *, full: bool, max_faces: int | None, as_json: bool) -> None:
    """Find faces in photos that were not searched yet, and group new faces into persons.

    A server does both by itself, some seconds after an upload. Use --full after you changed a threshold: it groups all
    faces again, and keeps names, ids and all decisions of people. An interrupted run continues when you run it again.

    \b
    Examples:
      sparks faces rebuild
      sparks faces rebuild --full --json
    """
    from sparks.cli.faces_rebuild import regroup, scan_faces
    from sparks.wiring import missing_engine, open_stores

    if full and max_faces is not None:
        raise click.UsageError("--full is about all faces: leave --max-faces out")
    configure_command_logs(settings)
    began = time.monotonic()
    try:
        with open_stores(settings) as stores:
            if stores.pipeline.faces is None:
                raise click.ClickException("faces are switched off: set the setting faces to true")
            scanned = scan_faces(settings, stores)
            numbers = regroup(settings, stores, full=full, max_faces=max_faces)
            missing = missing_engine(stores.pipeline)
    except KeyboardInterrupt:
        click.echo("sparks: interrupted: run it again to continue", err=True)
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    if scanned.failed:
        click.echo(_failure(scanned.failed, missing), err=True)
    if as_json:
        print_json({**numbers, "photos": scanned.photos, "seconds": round(time.monotonic() - began, 1)})
    else:
        print_line(_summary(numbers, scanned.photos))


def _failure(photos: int, missing: str) -> str:
    reason = missing or "see the log of the workers"
    return f"sparks: faces could not be searched for in {format_photos(photos)}: {reason}"


def _summary(numbers: Mapping[str, Any], photos: int) -> str:
    scanned = f"searched for faces in {format_photos(photos)}; " if photos else ""
    created, updated = numbers["createdPersons"], numbers["updatedPersons"]
    return f"{scanned}grouped {numbers['processedFaces']:,} faces: {created:,} new persons, {updated:,} changed"


@faces.command()
@json_option
@with_data
def stats(settings: Settings, *, as_json: bool) -> None:
    """Count photos, faces and persons, and show how far face detection is.

    \b
    Examples:
      sparks faces stats
      sparks faces stats --json
    """
    from sparks.library.people.people_statistics import people_statistics
    from sparks.wiring import missing_engine, open_stores

    with open_stores(settings) as stores:
        numbers = _as_json(
            people_statistics(table=stores.table), stores.pipeline.faces, missing=missing_engine(stores.pipeline)
        )
    if as_json:
        print_json(numbers)
    else:
        for line in _lines(numbers):
            print_line(line)


def _as_json(found: "PeopleStatistics", faces: "FacePipelineSettings | None", *, missing: str) -> dict[str, Any]:
    return {
        "engine": None if faces is None else faces.engine,
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


def _lines(numbers: Mapping[str, Any]) -> Iterator[str]:
    yield "faces are switched off" if numbers["engine"] is None else f"engine   {numbers['engine']}"
    if numbers["missing"]:
        yield f"faces cannot be searched for: {numbers['missing']}"
    raw, indexed, failed = (numbers["photos"][status.value] for status in FaceStatus)
    yield f"photos   {indexed:,} searched, {raw:,} not yet, {failed:,} failed"
    yield f"faces    {numbers['faces']:,}, of them {numbers['waiting']:,} without a person yet"
    yield f"persons  {numbers['persons']:,}, of them {numbers['named']:,} with a name, {numbers['hidden']:,} hidden"
    if numbers["suggestions"]:
        yield f"merges   {numbers['suggestions']:,} suggested"
    if numbers["forgotten"]:
        yield f"opt-outs {numbers['forgotten']:,} from recognition"


@faces.command()
@json_option
@with_data
def export(settings: Settings, *, as_json: bool) -> None:
    """Print every face on one line, with its photo and its person. With --json, each line is a JSON object.

    \b
    Examples:
      sparks faces export
      sparks faces export --json > faces.jsonl
    """
    from sparks.library.people.people_statistics import faces_with_persons
    from sparks.wiring import open_stores

    with open_stores(settings) as stores:
        for found in faces_with_persons(table=stores.table):
            print_line(_json_line(found) if as_json else _line(found))


def _json_line(found: "FaceWithPerson") -> str:
    box = found.face.box
    fields = {
        "originalFilename": found.photo.original_filename,
        "imageId": found.face.image_id,
        "faceId": found.face.face_id,
        "bbox": {"Left": box.left, "Top": box.top, "Width": box.width, "Height": box.height},
        "personId": None if found.person is None else found.person.person_id,
        "displayName": None if found.person is None else found.person.display_name,
    }
    return msgspec.json.encode(fields).decode()


def _line(found: "FaceWithPerson") -> str:
    name = "no person yet" if found.person is None else found.person.display_name
    return f"{found.face.image_id}  {found.face.face_id}  {found.photo.original_filename or '-'}  {name}"
