"""The shelf of what was built lately."""

from sparks.feed.shelf import Shelf


def test_what_was_put_is_there() -> None:
    shelf: Shelf[str, str] = Shelf(10)
    shelf.put("a", "apple", size=5)
    assert shelf.get("a") == "apple"
    assert shelf.get("b") is None


def test_what_was_asked_for_longest_ago_makes_room() -> None:
    shelf: Shelf[str, str] = Shelf(10)
    shelf.put("a", "apple", size=4)
    shelf.put("b", "berry", size=4)
    shelf.get("a")
    shelf.put("c", "cherry", size=4)
    assert [shelf.get(key) for key in "abc"] == ["apple", None, "cherry"]


def test_what_is_put_again_takes_the_place_of_the_former() -> None:
    shelf: Shelf[str, str] = Shelf(10)
    for _ in range(5):
        shelf.put("a", "apple", size=6)
    shelf.put("b", "berry", size=4)
    assert [shelf.get(key) for key in "ab"] == ["apple", "berry"]


def test_what_is_larger_than_the_shelf_drives_nothing_out_but_its_former_self() -> None:
    shelf: Shelf[str, str] = Shelf(10)
    shelf.put("a", "apple", size=4)
    shelf.put("b", "berry", size=4)
    shelf.put("b", "melon", size=11)
    assert [shelf.get(key) for key in "ab"] == ["apple", None]
