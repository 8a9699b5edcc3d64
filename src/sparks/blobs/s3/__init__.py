"""Blobs in S3 or a server that speaks its API."""

from sparks.blobs.s3.bucket import connect, create_bucket
from sparks.blobs.s3.store import S3Blobs

__all__ = ["S3Blobs", "connect", "create_bucket"]
