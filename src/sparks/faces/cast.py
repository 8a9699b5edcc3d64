"""The cast of a film: of all faces in its frames one for each person, the best."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparks.faces.port import Thresholds


class Seen(Protocol):
    @property
    def quality(self) -> float: ...
    @property
    def embedding(self) -> bytes: ...


@dataclass(slots=True)
class Role:
    """`best` is the place of the face that stands for all of them."""

    best: int
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    frames: set[int] = field(default_factory=set)

    def likeness(self, vector: NDArray[np.float32], frame: int) -> float:
        """To the most similar of its faces; none to somebody in the same frame."""
        return -1.0 if frame in self.frames else max(float(vector @ other) for other in self.vectors)

    def add(self, vector: NDArray[np.float32], frame: int) -> None:
        self.vectors.append(vector)
        self.frames.add(frame)


def best_of_each(frames: Sequence[int], faces: Sequence[Seen], thresholds: Thresholds) -> list[int]:
    """The places of those to keep, the best first. `frames` tells in which each was seen.

    A face that is too bad to found a person founds no role either: in a film they are many.
    """
    roles: list[Role] = []
    for place in sorted(range(len(faces)), key=lambda place: -faces[place].quality):
        vector = np.frombuffer(faces[place].embedding, "<f2").astype(np.float32)
        role = _role_of(vector, frames[place], roles, thresholds.candidate)
        if role is None and faces[place].quality >= thresholds.founding:
            roles.append(role := Role(place))
        if role is not None:
            role.add(vector, frames[place])
    return [role.best for role in roles]


def _role_of(vector: NDArray[np.float32], frame: int, roles: Sequence[Role], least: float) -> Role | None:
    likest = max(roles, key=lambda role: role.likeness(vector, frame), default=None)
    return likest if likest is not None and likest.likeness(vector, frame) >= least else None
