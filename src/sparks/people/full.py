"""All persons thought over, from all faces: computed aside, kept as a plan, and carried out as differences.

Names, ids and what people decided stay. At every moment each face has at most one person. Whoever is killed leaves the
plan behind, with how far it is, and the next run goes on there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from sparks.blobs.port import Blobs
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.job_states import FULL, INCREMENTAL, job_state
from sparks.library.live import people_told
from sparks.library.people import all_decisions, find_persons, in_force, keep_suggestions
from sparks.library.people.erasures import forgotten_since
from sparks.library.people.redirects import Redirects
from sparks.model import times
from sparks.model.errors import BadInput
from sparks.model.events import RebuildWanted, UpkeepDue
from sparks.model.person import DecisionKind
from sparks.model.scope import Scope
from sparks.model.terms import FaceTerms, Terms
from sparks.people.applying import Applied, apply_steps, settle_next
from sparks.people.groups.grouping import Doubt
from sparks.people.holding import Held, held
from sparks.people.incremental import FACES_OFF, Rebuilt
from sparks.people.kept_plan import KeptPlan, drop_plans, find_plan, keep_plan
from sparks.people.known import homes_of
from sparks.people.outcome import suggestions_from
from sparks.people.plan import Move, Step
from sparks.people.thinking import think_over
from sparks.table.port import Table

PLAN: Final = "plan"
POSITION: Final = "position"
STEPS: Final = "steps"
FACES: Final = "processedFaces"
CREATED: Final = "createdPersons"
UPDATED: Final = "updatedPersons"

Progress: TypeAlias = Callable[[int, int], None]
"""(steps that are done, all of them)"""


def rebuild_people(_: RebuildWanted, *, table: Table, blobs: Blobs, index: FaceIndex | None, terms: Terms) -> None:
    """Nothing happens where faces are switched off."""
    if terms.faces is not None and index is not None:
        rebuild_all(table=table, blobs=blobs, index=index, terms=terms)


def resume_rebuild(event: UpkeepDue, *, table: Table, blobs: Blobs) -> RebuildWanted | None:
    """One that was interrupted, and that nobody has gone on with, goes on. A plan that no state names goes."""
    state = job_state(FULL, table=table)
    if state.lease is not None and not times.has_passed(state.lease.expires_at, at=event.at):
        return None
    if PLAN in (state.stats or {}):
        return RebuildWanted()
    drop_plans(blobs=blobs)
    return None


def rebuild_all(
    *,
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    terms: Terms,
    at: datetime | None = None,
    progress: Progress | None = None,
) -> Rebuilt:
    """What was done; of a run that goes on where another one was interrupted, what was left. BadInput where nobody
    looks for faces, Busy where persons are being thought over already.
    """
    if terms.faces is None or index is None:
        raise BadInput(FACES_OFF)
    at = at or times.now()
    with people_told(table=table) as touched, held(INCREMENTAL, FULL, at=at, table=table) as jobs:
        rebuild = _Rebuild(table, blobs, index, terms.faces, jobs, progress, touched)
        plan, position = rebuild.interrupted() or (rebuild.begun(), 0)
        applied = rebuild.carry_out(plan, position)
        return rebuild.finish(plan, applied)


@dataclass(frozen=True, slots=True)
class _Rebuild:
    table: Table
    blobs: Blobs
    index: FaceIndex
    terms: FaceTerms
    jobs: Held
    progress: Progress | None
    touched: set[Scope]

    # -- The plan

    def interrupted(self) -> tuple[KeptPlan, int] | None:
        """What an earlier run left, and where it was; None where one has to begin anew."""
        stats = self.jobs[FULL].stats or {}
        plan = find_plan(stats[PLAN], blobs=self.blobs) if PLAN in stats else None
        if plan is None:
            return None
        position = int(stats[POSITION])
        if plan.is_good(self.terms.engine, at=self.jobs.now()):
            return plan, position
        self.touched.update(settle_next(plan.steps, position, enough=self.terms.enough, table=self.table))
        return None

    def begun(self) -> KeptPlan:
        """[Note: blob before row] What the state names is there."""
        drop_plans(blobs=self.blobs)
        plan = think_over(at=self.jobs.now(), table=self.table, index=self.index, terms=self.terms)
        keep_plan(plan, blobs=self.blobs)
        self._note(plan, 0)
        return plan

    def _note(self, plan: KeptPlan, position: int) -> None:
        stats = {PLAN: plan.run, POSITION: position, STEPS: plan.length}
        self.jobs.note(FULL, stats=stats, last_run_at=self.jobs.now())

    # -- What it comes to

    def carry_out(self, plan: KeptPlan, position: int) -> Applied:
        def note(position: int, _: Sequence[str]) -> None:
            self._note(plan, position)
            if self.progress is not None:
                self.progress(position, plan.length)

        def still(some: Sequence[Step]) -> Sequence[Step]:
            return _wanted(some, plan, self.table)

        applied = apply_steps(
            plan.steps,
            at=self.jobs.now(),
            enough=self.terms.enough,
            table=self.table,
            note=note,
            still=still,
            start=position,
        )
        self.touched.update(applied.scopes)
        return applied

    def finish(self, plan: KeptPlan, applied: Applied) -> Rebuilt:
        """[Note: the last to go] The plan goes before the state forgets it: killed in between, all is thought over once
        more, and no plan is left that nobody knows of.
        """
        self._ask(plan)
        drop_plans(blobs=self.blobs)
        before = self.jobs[INCREMENTAL].last_processed_at
        checkpoint = plan.made_at if before is None else max(before, plan.made_at)
        told = {FACES: plan.faces, CREATED: len(applied.created), UPDATED: len(applied.updated)}
        self.jobs.note(INCREMENTAL, last_processed_at=checkpoint)
        self.jobs.note(FULL, stats=told, last_run_at=self.jobs.now(), last_processed_at=plan.made_at)
        return Rebuilt(
            processed_faces=plan.faces,
            created_persons=len(applied.created),
            updated_persons=len(applied.updated),
            checkpoint=checkpoint,
        )

    def _ask(self, plan: KeptPlan) -> None:
        """What a human is to be asked, in place of all that was asked before."""
        doubts = [Doubt(*doubt) for doubt in plan.doubts]
        rows = faces_by_id({face_id for doubt in doubts for face_id in (doubt.one, doubt.other)}, table=self.table)
        resolve = Redirects(self.table)
        asked = suggestions_from(doubts, homes_of(rows), resolve=resolve, at=plan.made_at)
        answered = _told_apart(resolve, self.table)
        unanswered = [each for each in asked if {each.person_id, each.other_person_id} not in answered]
        keep_suggestions(unanswered, about=None, table=self.table)


def _wanted(some: Sequence[Step], plan: KeptPlan, table: Table) -> Sequence[Step]:
    """[Note: people first] Those of whom people have spoken since the plan was made keep what they have, until the next
    rebuild: nobody takes the faces of one who was just named. And nobody comes back who was forgotten since.
    """
    resolve = Redirects(table)
    losing = {step.before: resolve(step.before) for step in some if isinstance(step, Move) and step.before is not None}
    persons = find_persons([*losing, *losing.values()], table=table).values()
    spoken = {each.person_id for each in persons if each.decision_count != plan.decided.get(each.person_id, 0)}
    kept = {before for before, person in losing.items() if not spoken.isdisjoint((before, person))}
    forgotten = forgotten_since(plan.made_at, table=table)
    return [step for step in some if not isinstance(step, Move) or not (step.before in kept or step.after in forgotten)]


def _told_apart(resolve: Redirects, table: Table) -> list[set[str]]:
    """The pairs about whom nobody is to be asked again, as was said until now."""
    said = (each for each in in_force(all_decisions(table=table)) if each.kind is DecisionKind.DIFFERENT)
    return [{resolve(each.person_id), resolve(each.other_person_id or "")} for each in said]
