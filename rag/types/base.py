"""The base of all values."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Base of all values: immutable, and closed to unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
