"""HTTP API: a package for each resource and one for HTTP itself."""
