"""What Sparks can be told: one frozen object, made from defaults, a file, the environment and options."""

from sparks.settings.fields import Settings
from sparks.settings.sources import environment_for_child, load_settings, unknown_variables

__all__ = ["Settings", "environment_for_child", "load_settings", "unknown_variables"]
