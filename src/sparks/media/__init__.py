"""Pictures and videos: bytes in, values out. Knows no storage, no network and no files but those it is handed open."""
