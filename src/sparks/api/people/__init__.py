"""Routes of persons and faces: lists, decisions, consent and erasure."""

from starlette.routing import BaseRoute

from sparks.actions.biometric_erasure import BiometricErasures
from sparks.actions.face_changes import FaceChanges
from sparks.actions.face_consent import FaceConsent
from sparks.actions.face_lookup import FaceLookup
from sparks.actions.outbox import Outbox
from sparks.actions.person_changes import PersonChanges
from sparks.actions.record_decision import DecisionRecorder
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.people.biometric_erasure_routes import BiometricErasureRoutes
from sparks.api.people.decision_routes import DecisionHistoryRoutes, DecisionRoutes, DrawFaceRoutes
from sparks.api.people.face_consent_routes import FaceConsentRoutes
from sparks.api.people.merge_suggestion_routes import MergeSuggestionRoutes
from sparks.api.people.person_claim_routes import ClaimRoutes, OwnPersonRoutes
from sparks.api.people.responses import DecisionResponses
from sparks.api.people.routes import PersonPhotoRoutes, PersonRoutes
from sparks.api.people.selfie_search_routes import SelfieSearchRoutes
from sparks.api.photos.responses import ImageResponses
from sparks.blobs.port import Blobs
from sparks.faces.port import FaceEngine
from sparks.library.face_index import FaceIndex
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import PipelineSettings
from sparks.table.port import Table


def routes(
    *,
    authenticator: RequestAuthenticator,
    images: ImageResponses,
    face_lookup: FaceLookup,
    engine: FaceEngine | None,
    index: FaceIndex | None,
    pipeline: PipelineSettings,
    outbox: Outbox,
    table: Table,
    blobs: Blobs,
    keyring: Keyring,
) -> list[BaseRoute]:
    clock = authenticator.now
    recorder = DecisionRecorder(outbox=outbox, min_photos=pipeline.min_photos, table=table, clock=clock)
    person_changes = PersonChanges(recorder=recorder, table=table, clock=clock)
    face_changes = FaceChanges(
        recorder=recorder, table=table, blobs=blobs, engine=engine, pipeline=pipeline.faces, clock=clock
    )
    erasures = BiometricErasures(outbox=outbox, table=table, blobs=blobs, index=index, pipeline=pipeline, clock=clock)
    face_consent = FaceConsent(outbox=outbox, table=table, clock=clock)
    responses = DecisionResponses(table=table, keyring=keyring, clock=clock)
    resources = (
        MergeSuggestionRoutes(
            authenticator=authenticator,
            person_changes=person_changes,
            responses=responses,
            table=table,
            keyring=keyring,
        ),
        DecisionRoutes(
            authenticator=authenticator,
            person_changes=person_changes,
            face_changes=face_changes,
            responses=responses,
        ),
        DrawFaceRoutes(authenticator=authenticator, face_changes=face_changes, responses=responses),
        DecisionHistoryRoutes(
            authenticator=authenticator,
            person_changes=person_changes,
            responses=responses,
            table=table,
            keyring=keyring,
        ),
        PersonRoutes(authenticator=authenticator, table=table, keyring=keyring),
        PersonPhotoRoutes(authenticator=authenticator, images=images, table=table, keyring=keyring),
        SelfieSearchRoutes(authenticator=authenticator, face_lookup=face_lookup, table=table, keyring=keyring),
        OwnPersonRoutes(authenticator=authenticator, face_lookup=face_lookup, table=table, keyring=keyring),
        ClaimRoutes(authenticator=authenticator, table=table, keyring=keyring),
        FaceConsentRoutes(authenticator=authenticator, face_consent=face_consent, face_lookup=face_lookup, table=table),
        BiometricErasureRoutes(authenticator=authenticator, erasures=erasures),
    )
    return [route for resource in resources for route in resource.router().routes]
