"""Motion photos: the few seconds of film that phones write behind a still, found without believing a word of it."""
