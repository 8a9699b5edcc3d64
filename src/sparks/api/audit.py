"""The audit trail, for administrators."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from sparks.api.gate import Caller, Gate, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.shapes import Answer, Time
from sparks.library.audit import page_of_entries
from sparks.model.access import Action
from sparks.model.keyring import Keyring
from sparks.model.times import month_of
from sparks.table.port import Table

Month = Annotated[str | None, Query(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", description="yyyy-mm; now by default.")]


class EntryAnswer(Answer):
    done_at: Time
    who: str
    action: str
    target: str | None = None
    details: dict[str, Any] | None = None


class EntryList(Answer):
    entries: list[EntryAnswer]
    last_evaluated_key: str | None = None


class AuditRoutes:
    def __init__(self, *, gate: Gate, table: Table, keyring: Keyring) -> None:
        self._gate = gate
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="administration")
        routes.add("GET", "/api/admin/audit", Action.SEE_AUDIT, self.read_audit)
        return routes.router

    def read_audit(self, who: Caller, month: Month = None, limit: Limit = 100, cursor: Cursor = None) -> EntryList:
        """Who did what in a month, newest first: sign-ins, changes of roles and limits, keys and links made."""
        asked = month or month_of(self._gate.now())
        entries, after = page_of(
            lambda most, behind: page_of_entries(asked, limit=most, after=behind, table=self._table),
            query=f"audit {asked}",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        answers = [
            EntryAnswer(
                done_at=entry.done_at,
                who=entry.who,
                action=entry.action,
                target=entry.target,
                details=dict(entry.details) or None,
            )
            for entry in entries
        ]
        return EntryList(entries=answers, last_evaluated_key=after)
