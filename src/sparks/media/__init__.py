"""Pictures and videos: bytes or open files in, values out, without storage or network."""
