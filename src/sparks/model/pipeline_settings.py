"""Pipeline settings that the steps need: trash days, face engine and thresholds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FacePipelineSettings:
    """The engine whose faces are compared, and the thresholds for its similarities and qualities: see `faces.port`.

    A person in at least `min_photos` photos is listed.
    """

    engine: str
    dimensions: int
    candidate: float
    strong: float
    founding: float
    min_photos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSettings:
    """`faces` is None where face detection is off."""

    trash_days: int = 30
    faces: FacePipelineSettings | None = None

    @property
    def min_photos(self) -> int | None:
        """The least photos of a listed person; None leaves the stored number as it is."""
        return None if self.faces is None else self.faces.min_photos
