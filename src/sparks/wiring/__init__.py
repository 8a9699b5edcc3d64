"""Choice of adapters: the only package that turns settings into stores.

Adapters are imported when the settings name them, because boto3 and OpenCV take long to import.
"""

from sparks.wiring.faces import missing_engine, open_engine, open_faces, open_index
from sparks.wiring.renderer import open_renderer
from sparks.wiring.search import clear_search, open_search, open_search_index
from sparks.wiring.stores import Adapters, create_stores, open_adapters, open_stores, open_table

__all__ = [
    "Adapters",
    "clear_search",
    "create_stores",
    "missing_engine",
    "open_adapters",
    "open_engine",
    "open_faces",
    "open_index",
    "open_renderer",
    "open_search",
    "open_search_index",
    "open_stores",
    "open_table",
]
