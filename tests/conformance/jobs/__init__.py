"""Suite for the jobs port, run in memory, on a SQLite file and on a server that speaks SQS."""
