"""Jobs in Amazon SQS, or in any server that speaks its protocol."""

from sparks.jobs.sqs.client import connect
from sparks.jobs.sqs.jobs import SqsJobs
from sparks.jobs.sqs.queues import create_queues

__all__ = ["SqsJobs", "connect", "create_queues"]
