"""Blobs in S3, or in any server that speaks its protocol with its signatures and conditions."""

from sparks.blobs.s3.bucket import connect, create_bucket
from sparks.blobs.s3.store import S3Blobs

__all__ = ["S3Blobs", "connect", "create_bucket"]
