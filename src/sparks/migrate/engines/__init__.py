"""Migration of a library from one engine to another while it is in use: SQLite, a folder and an embedded queue to
DynamoDB, S3 and SQS, back, and any mix.

Every process reads and writes through `SwitchedTable`, `SwitchedBlobs` and `SwitchedJobs`. While a migration is under
way they note what changes in an outbox, wait while neither side takes writes, and change over to the other engines.
"""
