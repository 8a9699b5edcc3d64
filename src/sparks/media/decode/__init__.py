"""Picture decoders, one for each group of file types; each checks the limits first."""

import os

# The libraries read these when they are loaded or first used. Each process uses one thread, because each core has its
# own process. Pictures stay in memory, because the sandbox has no files.
os.environ.setdefault("VIPS_CONCURRENCY", "1")
os.environ.setdefault("VIPS_DISC_THRESHOLD", "64g")
os.environ.setdefault("OMP_NUM_THREADS", "1")
