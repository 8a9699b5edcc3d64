"""`python -m sparks` is `sparks`."""

from sparks.cli.main import main

main()
