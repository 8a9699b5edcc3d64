"""Videos: probe, poster and transcode for browsers."""
