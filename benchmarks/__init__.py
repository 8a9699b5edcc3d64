"""Each module measures one thing against a named peer in the same run: `python -m benchmarks.NAME [--json]`."""
