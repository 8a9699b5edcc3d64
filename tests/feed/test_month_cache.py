"""The shelf of what was built lately."""

from sparks.feed.timeline import MonthCache


def test_a_cached_value_is_found() -> None:
    shelf: MonthCache[str, str] = MonthCache(10)
    shelf.put("a", "apple", size=5)
    assert shelf.get("a") == "apple"
    assert shelf.get("b") is None


def test_the_least_recently_used_value_is_dropped_first() -> None:
    shelf: MonthCache[str, str] = MonthCache(10)
    shelf.put("a", "apple", size=4)
    shelf.put("b", "berry", size=4)
    shelf.get("a")
    shelf.put("c", "cherry", size=4)
    assert [shelf.get(key) for key in "abc"] == ["apple", None, "cherry"]


def test_a_value_that_is_put_again_replaces_the_earlier_one() -> None:
    shelf: MonthCache[str, str] = MonthCache(10)
    for _ in range(5):
        shelf.put("a", "apple", size=6)
    shelf.put("b", "berry", size=4)
    assert [shelf.get(key) for key in "ab"] == ["apple", "berry"]


def test_a_value_larger_than_the_cache_drops_only_its_earlier_version() -> None:
    shelf: MonthCache[str, str] = MonthCache(10)
    shelf.put("a", "apple", size=4)
    shelf.put("b", "berry", size=4)
    shelf.put("b", "melon", size=11)
    assert [shelf.get(key) for key in "ab"] == ["apple", None]
