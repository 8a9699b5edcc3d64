"""Full rebuild of all persons from all faces: planned, stored, carried out and resumed.

Names, ids and decisions stay. At every moment each face has at most one person. An interrupted run leaves the plan and
its position behind, and the next run resumes there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from sparks.blobs.port import Blobs
from sparks.library.face_index import FaceIndex
from sparks.library.face_log import faces_by_id
from sparks.library.leases import FULL, INCREMENTAL, HeldLeases, held_leases, job_state
from sparks.library.live_events import people_announced
from sparks.library.people.decision_log import all_decisions
from sparks.library.people.merge_suggestions import replace_suggestions
from sparks.library.people.photo_faces import find_persons
from sparks.library.people.redirects import Redirects
from sparks.library.people.replay_decisions import in_force
from sparks.model import times
from sparks.model.errors import BadInput
from sparks.model.events import PersonPicturesDue, RebuildWanted, UpkeepDue
from sparks.model.person import DecisionKind
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.model.scope import Scope
from sparks.people.apply_plan import AppliedChanges, apply_steps, reconcile_interrupted
from sparks.people.biometric_erasure.receipts import erased_since
from sparks.people.change_plan import MoveFace, PlanStep, StoredPlan, delete_plans, find_plan, store_plan
from sparks.people.clustering.group_faces import Doubt
from sparks.people.face_arrays import engine_persons_of
from sparks.people.group_new_faces import FACES_OFF, RegroupResult
from sparks.people.grouping_result import suggestions_from
from sparks.people.rebuild_plan import compute_plan
from sparks.table.port import Table

PLAN: Final = "plan"
POSITION: Final = "position"
STEPS: Final = "steps"
FACES: Final = "processedFaces"
CREATED: Final = "createdPersons"
UPDATED: Final = "updatedPersons"

Progress: TypeAlias = Callable[[int, int], None]
"""(number of steps done, number of all steps)"""


def rebuild_people(
    _: RebuildWanted, *, table: Table, blobs: Blobs, index: FaceIndex | None, pipeline: PipelineSettings
) -> PersonPicturesDue | None:
    """Nothing happens where faces are switched off."""
    if pipeline.faces is None or index is None:
        return None
    rebuild_all(table=table, blobs=blobs, index=index, pipeline=pipeline)
    return PersonPicturesDue()


def resume_rebuild(event: UpkeepDue, *, table: Table, blobs: Blobs) -> RebuildWanted | None:
    """Resumes an interrupted rebuild that no process is running; deletes plans that no job state names."""
    state = job_state(FULL, table=table)
    if state.lease is not None and not times.has_passed(state.lease.expires_at, at=event.at):
        return None
    if PLAN in (state.stats or {}):
        return RebuildWanted()
    delete_plans(blobs=blobs)
    return None


def rebuild_all(
    *,
    table: Table,
    blobs: Blobs,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
    at: datetime | None = None,
    progress: Progress | None = None,
) -> RegroupResult:
    """A run that resumes an interrupted one reports only its own part.

    BadInput where faces are switched off; Busy while another rebuild runs.
    """
    if pipeline.faces is None or index is None:
        raise BadInput(FACES_OFF)
    at = at or times.now()
    with people_announced(table=table) as touched, held_leases(INCREMENTAL, FULL, at=at, table=table) as jobs:
        rebuild = _Rebuild(table, blobs, index, pipeline.faces, jobs, progress, touched)
        plan, position = rebuild.interrupted_plan() or (rebuild.make_plan(), 0)
        applied = rebuild.apply(plan, position)
        return rebuild.finish(plan, applied)


@dataclass(frozen=True, slots=True)
class _Rebuild:
    table: Table
    blobs: Blobs
    index: FaceIndex
    pipeline: FacePipelineSettings
    jobs: HeldLeases
    progress: Progress | None
    touched: set[Scope]

    def interrupted_plan(self) -> tuple[StoredPlan, int] | None:
        """The plan of an interrupted run and its position; None where there is none, or it is no longer valid."""
        stats = self.jobs[FULL].stats or {}
        plan = find_plan(stats[PLAN], blobs=self.blobs) if PLAN in stats else None
        if plan is None:
            return None
        position = int(stats[POSITION])
        if plan.is_valid(self.pipeline.engine, at=self.jobs.now()):
            return plan, position
        self.touched.update(
            reconcile_interrupted(plan.steps, position, min_photos=self.pipeline.min_photos, table=self.table)
        )
        return None

    def make_plan(self) -> StoredPlan:
        """Stores the plan before the job state names it, so that a named plan exists."""
        delete_plans(blobs=self.blobs)
        plan = compute_plan(at=self.jobs.now(), table=self.table, index=self.index, pipeline=self.pipeline)
        store_plan(plan, blobs=self.blobs)
        self._note(plan, 0)
        return plan

    def _note(self, plan: StoredPlan, position: int) -> None:
        stats = {PLAN: plan.run, POSITION: position, STEPS: plan.length}
        self.jobs.note(FULL, stats=stats, last_run_at=self.jobs.now())

    def apply(self, plan: StoredPlan, position: int) -> AppliedChanges:
        def note(position: int, _: Sequence[str]) -> None:
            self._note(plan, position)
            if self.progress is not None:
                self.progress(position, plan.length)

        def select(batch: Sequence[PlanStep]) -> Sequence[PlanStep]:
            return _still_valid(batch, plan, self.table)

        applied = apply_steps(
            plan.steps,
            at=self.jobs.now(),
            min_photos=self.pipeline.min_photos,
            table=self.table,
            note=note,
            select=select,
            start=position,
        )
        self.touched.update(applied.scopes)
        return applied

    def finish(self, plan: StoredPlan, applied: AppliedChanges) -> RegroupResult:
        """Deletes the plan before the job state stops naming it. A run that is interrupted in between is repeated from
        the start, but leaves no plan without a name.
        """
        self._suggest_merges(plan)
        delete_plans(blobs=self.blobs)
        before = self.jobs[INCREMENTAL].last_processed_at
        checkpoint = plan.made_at if before is None else max(before, plan.made_at)
        stats = {FACES: plan.faces, CREATED: len(applied.created), UPDATED: len(applied.updated)}
        self.jobs.note(INCREMENTAL, last_processed_at=checkpoint)
        self.jobs.note(FULL, stats=stats, last_run_at=self.jobs.now(), last_processed_at=plan.made_at)
        return RegroupResult(
            processed_faces=plan.faces,
            created_persons=len(applied.created),
            updated_persons=len(applied.updated),
            checkpoint=checkpoint,
        )

    def _suggest_merges(self, plan: StoredPlan) -> None:
        """Replaces all merge suggestions by those of this plan."""
        doubts = [Doubt(*doubt) for doubt in plan.doubts]
        rows = faces_by_id({face_id for doubt in doubts for face_id in (doubt.one, doubt.other)}, table=self.table)
        resolve = Redirects(self.table)
        suggestions = suggestions_from(doubts, engine_persons_of(rows), resolve=resolve)
        different = _marked_different(resolve, self.table)
        undecided = [each for each in suggestions if {each.person_id, each.other_person_id} not in different]
        replace_suggestions(undecided, about=None, table=self.table)


def _still_valid(batch: Sequence[PlanStep], plan: StoredPlan, table: Table) -> Sequence[PlanStep]:
    """A person about whom people have decided since the plan was made keeps their faces until the next rebuild, so a
    person who was just named loses none. A person who was erased since gets none.
    """
    resolve = Redirects(table)
    losing = {
        step.before: resolve(step.before) for step in batch if isinstance(step, MoveFace) and step.before is not None
    }
    persons = find_persons([*losing, *losing.values()], table=table).values()
    decided = {each.person_id for each in persons if each.decision_count != plan.decided.get(each.person_id, 0)}
    keeping = {before for before, person in losing.items() if not decided.isdisjoint((before, person))}
    erased = erased_since(plan.made_at, table=table)
    return [
        step for step in batch if not isinstance(step, MoveFace) or not (step.before in keeping or step.after in erased)
    ]


def _marked_different(resolve: Redirects, table: Table) -> list[set[str]]:
    """The pairs of persons who are marked as different; their merge is not suggested again."""
    decisions = (each for each in in_force(all_decisions(table=table)) if each.kind is DecisionKind.DIFFERENT)
    return [{resolve(each.person_id), resolve(each.other_person_id or "")} for each in decisions]
