"""Settings as one frozen object: from defaults, file, environment and options."""

from sparks.settings.definitions import Settings
from sparks.settings.sources import environment_for_child, load_settings, unknown_variables

__all__ = ["Settings", "environment_for_child", "load_settings", "unknown_variables"]
