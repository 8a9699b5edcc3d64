"""Photos are marked, edited, thrown away and taken back."""

from typing import Final

from tests.cli.photo_lifecycle.lifecycle import Lifecycle
from tests.servers.process import wait_until

UNKNOWN_ID: Final = "0198f0c0-0000-7000-8000-000000000000"


def mark_and_edit(lifecycle: Lifecycle) -> None:
    client, posted = lifecycle.client, lifecycle.ids["posted"]
    client.ask("PUT", f"/photos/{posted}/favorite", status=204)
    assert client.ids("/me/favorites") == [posted]
    assert client.read("/timeline/2023-09")["favorites"] == [posted]
    version = client.photo(posted)["version"]
    change = {"version": version, "title": "", "tags": ["sea"], "takenAt": "2021-07-04T10:00:00Z"}
    edited = client.ask("PATCH", f"/photos/{posted}", json=change).json()
    assert (edited.get("title"), edited["tags"], edited["favorite"]) == (None, ["sea"], True)
    refused = client.ask("PATCH", f"/photos/{posted}", status=409, json=change).json()
    assert (refused["error"], refused["currentVersion"]) == ("VERSION_MISMATCH", edited["version"])
    wait_until(
        lambda: [lifecycle.month(name) for name in ("2023-09", "2021-07")] == [[], [posted]], what="its new month"
    )
    hide(lifecycle, "signed")


def hide(lifecycle: Lifecycle, name: str) -> None:
    """From the community."""
    client, image_id = lifecycle.client, lifecycle.ids[name]
    change = {"version": client.photo(image_id)["version"], "visibility": "private"}
    client.ask("PATCH", f"/photos/{image_id}", json=change)
    assert image_id not in client.ids("/photos")
    wait_until(lambda: "2022-03" not in lifecycle.months("community"), what="the month to lose it")
    assert lifecycle.month("2022-03") == [image_id]


def throw_away_and_take_back(lifecycle: Lifecycle) -> None:
    """By asking for it, or by uploading it again."""
    client, ids = lifecycle.client, lifecycle.named("video", "broken")
    results = client.ask("POST", "/photos/trash", json={"ids": [*ids, UNKNOWN_ID]}).json()["results"]
    assert [each.get("status", each.get("error")) for each in results] == ["trashed", "trashed", "NOT_FOUND"]
    assert client.ids("/me/trash") == ids
    assert not {*ids} & {*client.ids("/me/photos"), *client.ids("/photos")}
    assert lifecycle.photos() == len(lifecycle.ids)
    wait_until(lambda: sum(lifecycle.months().values()) == 3, what="the month to lose it")
    client.ask("POST", "/photos/restore", json={"ids": lifecycle.named("broken")})
    assert client.post(lifecycle.files["video"], status=200, filename="clip.avi")["imageId"] == lifecycle.ids["video"]
    assert client.ids("/me/trash") == []
    assert lifecycle.ids["video"] in client.ids("/photos")
    wait_until(lambda: lifecycle.statuses()["broken"] == "failed", what="the broken one")
    wait_until(lambda: sum(lifecycle.months().values()) == 4, what="the month to have it again")
