"""The cache of months that were built lately."""

from sparks.feed.timeline import MonthCache


def test_a_cached_value_is_found() -> None:
    cache: MonthCache[str, str] = MonthCache(10)
    cache.put("a", "apple", size=5)
    assert cache.get("a") == "apple"
    assert cache.get("b") is None


def test_the_least_recently_used_value_is_dropped_first() -> None:
    cache: MonthCache[str, str] = MonthCache(10)
    cache.put("a", "apple", size=4)
    cache.put("b", "berry", size=4)
    cache.get("a")
    cache.put("c", "cherry", size=4)
    assert [cache.get(key) for key in "abc"] == ["apple", None, "cherry"]


def test_a_value_that_is_put_again_replaces_the_earlier_one() -> None:
    cache: MonthCache[str, str] = MonthCache(10)
    for _ in range(5):
        cache.put("a", "apple", size=6)
    cache.put("b", "berry", size=4)
    assert [cache.get(key) for key in "ab"] == ["apple", "berry"]


def test_a_value_larger_than_the_cache_drops_only_its_earlier_version() -> None:
    cache: MonthCache[str, str] = MonthCache(10)
    cache.put("a", "apple", size=4)
    cache.put("b", "berry", size=4)
    cache.put("b", "melon", size=11)
    assert [cache.get(key) for key in "ab"] == ["apple", None]
