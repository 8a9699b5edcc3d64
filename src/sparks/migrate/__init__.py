"""Migration of an image service with its own database to Sparks, without downtime."""
