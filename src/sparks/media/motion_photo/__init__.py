"""Motion photos: the short video that phones append to a still."""
