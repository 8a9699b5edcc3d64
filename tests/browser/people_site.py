"""Persons to name: portraits of several, uploaded, analyzed and grouped."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from tests.browser.pictures import portraits
from tests.browser.site import Account, Site
from tests.servers.process import wait_until

HEIGHT: Final = 600


@dataclass(frozen=True)
class KnownPersons:
    """`persons` are their ids by the folder of their portraits; only `owner` sees them."""

    owner: Account
    persons: dict[str, str]

    def __getitem__(self, folder: str) -> str:
        return self.persons[folder]


def known_persons(site: Site, folder: Path, people: Sequence[str], *, together: tuple[str, str]) -> KnownPersons:
    """Of each, two portraits; and one picture with two of them side by side, by portraits that are not among these."""
    owner, chief = site.join("Olive"), site.join("Carol", admin=True)
    files = {each: portraits(each)[:2] for each in people}
    both = side_by_side([portraits(each)[2] for each in together], folder / "both.jpg")
    ids = {each: site.upload(owner, *some, visibility="private") for each, some in files.items()}
    last = site.upload(owner, both, visibility="private")
    site.settle(owner, [*(image for some in ids.values() for image in some), *last], faces=True)
    site.group_people(chief)
    wait_until(lambda: len(_listed(site, owner)) >= len(people), what="the people to be listed", seconds=60)
    return KnownPersons(owner, {each: _person_in(site, owner, some) for each, some in ids.items()})


def side_by_side(files: Sequence[Path], path: Path) -> Path:
    """As one picture, all as high as each other."""
    pictures = [Image.open(file).convert("RGB") for file in files]
    sized = [each.resize((each.width * HEIGHT // each.height, HEIGHT)) for each in pictures]
    whole = Image.new("RGB", (sum(each.width for each in sized), HEIGHT))
    left = 0
    for each in sized:
        whole.paste(each, (left, 0))
        left += each.width
    whole.save(path, quality=90)
    return path


def _listed(site: Site, account: Account) -> list[str]:
    told = site.ask(account, "GET", "/api/persons?few=true&limit=500&scope=mine").json()["persons"]
    return [each["personId"] for each in told]


def _person_in(site: Site, account: Account, images: list[str]) -> str:
    told = [site.ask(account, "GET", f"/api/photos/{image}/persons").json()["faces"] for image in images]
    seen: Counter[str] = Counter(face["personId"] for faces in told for face in faces if "personId" in face)
    return seen.most_common(1)[0][0]
