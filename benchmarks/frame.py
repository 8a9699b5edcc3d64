"""Shared code of the benchmarks: medians of alternating runs, and the output of figures."""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `goal` says what it should be; empty where it is printed to be known."""

    key: str
    value: float
    what: str
    goal: str = ""


def run(
    benchmark: str, measure: Callable[..., list[Figure]], *, numbers: Mapping[str, int] | None = None, **switches: str
) -> None:
    """Measures and prints: a table, or with --json one line for programs. `switches` are options that are passed to
    `measure` by their names, each with its help; so are `numbers`, each with what it is by default.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{benchmark}", description=sys.modules["__main__"].__doc__
    )
    parser.add_argument(
        "--json", action="store_true", help='print one line {"benchmark": .., "figures": {key: number}}'
    )
    for switch, told in switches.items():
        parser.add_argument(f"--{switch}", action="store_true", help=told)
    for number, usual in (numbers or {}).items():
        parser.add_argument(f"--{number}", type=int, default=usual, help=f"default: {usual:,}")
    arguments = vars(parser.parse_args())
    figures = measure(**{name: arguments[name] for name in (*switches, *(numbers or {}))})
    if arguments["json"]:
        print(json.dumps({"benchmark": benchmark, "figures": {figure.key: figure.value for figure in figures}}))
    else:
        print(table(benchmark, figures))


def table(benchmark: str, figures: list[Figure]) -> str:
    """As Markdown, so that a run can go into results.md as it is."""
    lines = [f"### {benchmark}", "", "| figure | value | goal | what it is |", "|---|---:|---|---|"]
    lines += [f"| `{f.key}` | {f.value:,.4g} | {f.goal} | {f.what} |" for f in figures]
    return "\n".join(lines) + "\n"


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(
    ours: Callable[[], object],
    peer: Callable[[], object],
    *,
    rounds: int = 9,
    clock: Callable[..., float] = cpu_seconds,
) -> float:
    """The median of ours / peer over alternating rounds, after one round that warms both up."""
    ours()
    peer()
    return statistics.median(clock(ours) / clock(peer) for _ in range(rounds))
