"""Every sentence of the jobs port, on memory, on the SQLite file and on a server that speaks SQS."""
