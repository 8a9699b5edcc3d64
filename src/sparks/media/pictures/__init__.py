"""From the bytes of a picture to pixels: one decoder a kind, sizes checked first, no more decoded than is needed."""

import os

# The libraries read these when they are loaded or used first: one process a core and one thread a process; and pictures
# stay in memory, for where they are decoded there are no files.
os.environ.setdefault("VIPS_CONCURRENCY", "1")
os.environ.setdefault("VIPS_DISC_THRESHOLD", "64g")
os.environ.setdefault("OMP_NUM_THREADS", "1")
