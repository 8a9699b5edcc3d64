"""Entry point of `python -m sparks`."""

from sparks.cli.main import main

main()
