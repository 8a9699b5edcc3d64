"""Gate of a table: which side takes writes, and the changes of that.

[Note: gate] Every captured write checks one of the gate's rows in its transaction, so that no write passes once the
gate is shut. There are several rows, because DynamoDB lets no two transactions touch the same row at a time. All of
them change together with the state.

[Note: turns] A side stops to take writes (`freeze`) before the other one begins. That raises the turn. Either the side
goes on (`lift`), or it is decided that the other one takes writes (`decide`), which then learns of it (`activate`). So
the row with the higher turn counts, and at no moment do both sides take writes, whoever is killed.
"""

import random
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from sparks.library import keys
from sparks.library.records import changes, to_item
from sparks.model.engine_migration import EngineMigration, other_side
from sparks.model.errors import ConditionFailed
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.model.times import now
from sparks.table.port import Change, Check, Conditions, Equals, Put, Set, Table

SHARDS: Final = 8


def gate_is_open(state: EngineMigration) -> Check:
    """The check that the side which takes writes by this state still does."""
    shard = random.randrange(SHARDS)  # noqa: S311  not a secret
    return Check(keys.engine_gate(shard), (Equals("writes", state.writes.value), Equals("turn", state.turn)))


def begin(state: EngineMigration, *, table: Table) -> None:
    """Replaces the state of an earlier migration."""
    table.write(Put(to_item(state)), *_gates(state))


def freeze(state: EngineMigration, *, seconds: float, table: Table) -> EngineMigration:
    """From now on neither side takes writes. ConditionFailed where the state is another one by now."""
    until = now() + timedelta(seconds=seconds)
    frozen = replace(
        state,
        writes=WriteSide.NEITHER,
        turn=state.turn + 1,
        frozen_side=state.writes,
        frozen_until=until,
    )
    return _change(state, frozen, table)


def lift(frozen: EngineMigration, *, table: Table) -> None:
    """The side that was frozen takes writes again, unless it is decided otherwise by now."""
    lifted = replace(frozen, writes=frozen.frozen_side or WriteSide.SOURCE, frozen_side=None, frozen_until=None)
    with suppress(ConditionFailed):
        _change(frozen, lifted, table)


def decide(frozen: EngineMigration, *, phase: MigrationPhase, table: Table) -> EngineMigration:
    """The other side is to take writes, for good. ConditionFailed where the freeze was lifted."""
    side = other_side(frozen.frozen_side or WriteSide.SOURCE)
    decided = replace(frozen, writes=side, phase=phase, frozen_side=None, frozen_until=None)
    return _change(frozen, decided, table)


def activate(waiting: EngineMigration, decided: EngineMigration, *, table: Table) -> None:
    """Lets the side of this table take writes, as was decided. Nothing happens where it does so already."""
    active = replace(waiting, writes=decided.writes, turn=decided.turn, phase=decided.phase)
    with suppress(ConditionFailed):
        _change(waiting, active, table)


def _change(before: EngineMigration, after: EngineMigration, table: Table) -> EngineMigration:
    as_seen: Conditions = (
        Equals("migrationId", before.migration_id),
        Equals("writes", before.writes.value),
        Equals("turn", before.turn),
    )
    table.write(changes(before, after, when=as_seen), *_gates(after))
    return after


def _gates(state: EngineMigration) -> list[Change]:
    values = {"writes": state.writes.value, "turn": state.turn}
    return [Set(keys.engine_gate(shard), values) for shard in range(SHARDS)]
