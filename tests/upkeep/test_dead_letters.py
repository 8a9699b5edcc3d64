"""Dead letters of deleted photos are deleted too."""

from sparks.jobs.port import MAX_TRIES, Job
from sparks.journey import Stores
from sparks.upkeep.handle_dead_letters import drop_orphaned_letters
from tests.factories import ANN, a_photo
from tests.upkeep.photo_makers import NOW, photo, swept, swept_hourly


def die(stores: Stores, body: dict[str, str]) -> None:
    stores.jobs.send(Job("make_renditions", body))
    for _ in range(MAX_TRIES):
        stores.jobs.retry_later(stores.jobs.receive(most=1, wait=0)[0], delay=0, reason="the bridge is down")


def letters(stores: Stores) -> list[str | None]:
    return [dead.job.body.get("image_id") for dead in stores.jobs.dead()]


def test_only_dead_letters_of_deleted_photos_are_dropped(memory: Stores) -> None:
    kept = photo(memory)
    die(memory, {"image_id": a_photo().image_id, "owner": ANN})
    die(memory, {"image_id": kept.image_id, "owner": ANN})
    die(memory, {"email": ANN})
    assert drop_orphaned_letters(table=memory.table, jobs=memory.jobs) == 1
    assert letters(memory) == [kept.image_id, None]
    assert drop_orphaned_letters(table=memory.table, jobs=memory.jobs) == 0


def test_the_hourly_sweep_drops_dead_letters_of_deleted_photos(memory: Stores) -> None:
    die(memory, {"image_id": a_photo().image_id, "owner": ANN})
    swept_hourly(memory, NOW)
    assert letters(memory) == []


def test_the_whole_sweep_drops_and_counts_dead_letters_of_deleted_photos(memory: Stores) -> None:
    die(memory, {"image_id": a_photo().image_id, "owner": ANN})
    assert swept(memory, NOW).letters == 1
    assert letters(memory) == []
