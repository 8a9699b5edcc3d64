"""Jobs in Amazon SQS or a server that speaks its API."""

from sparks.jobs.sqs.jobs import SqsJobs
from sparks.jobs.sqs.queues import connect, create_queues

__all__ = ["SqsJobs", "connect", "create_queues"]
