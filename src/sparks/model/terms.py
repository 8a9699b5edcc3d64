"""What the steps of the journey must know of the settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceTerms:
    """The engine whose faces are compared, and what its similarities and qualities mean: see `faces.port`.

    `enough` photos make a person listed.
    """

    engine: str
    dimensions: int
    candidate: float
    strong: float
    founding: float
    enough: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """`faces` is None where nobody is to look for any."""

    trash_days: int = 30
    faces: FaceTerms | None = None

    @property
    def enough(self) -> int | None:
        """Photos that make a person listed; None leaves it at what it was."""
        return None if self.faces is None else self.faces.enough
