"""Client of S3, and creation of the bucket."""

from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from sparks.blobs.s3.error_mapping import code_of, translated
from sparks.model.errors import BadSetting

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import PublicAccessBlockConfigurationTypeDef

DEFAULT_REGION: Final = "us-east-1"
UNSUPPORTED_CODES: Final = frozenset({"MethodNotAllowed", "NotImplemented", "UnsupportedOperation"})
ALL_BLOCKED: "Final[PublicAccessBlockConfigurationTypeDef]" = {
    "BlockPublicAcls": True,
    "IgnorePublicAcls": True,
    "BlockPublicPolicy": True,
    "RestrictPublicBuckets": True,
}


def connect(
    *,
    region: str | None = None,
    endpoint: str | None = None,
    access_key: str | None = None,
    secret_key: str | None = None,
    connections: int = 50,
    attempts: int = 4,
) -> "S3Client":
    """A client with the settings that the adapter needs. Without an endpoint it connects to AWS; without keys and
    region it uses those that the AWS SDK finds.

    Signature version 4 is required: by default boto3 presigns URLs in an old form that covers neither the length nor
    If-None-Match.
    """
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path" if endpoint else "virtual"},
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=2,
        read_timeout=60,
        max_pool_connections=connections,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.client(
        "s3",
        region_name=region or (DEFAULT_REGION if endpoint else None),
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=config,
    )


def create_bucket(client: "S3Client", bucket: str) -> list[str]:
    """Creates the bucket if it is missing and blocks public access. Several processes may call this at once.

    Returns the features that this server does not support. BadSetting where the bucket belongs to another account.
    """
    with translated(f"bucket {bucket}"):
        _create(client, bucket)
        try:
            client.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=ALL_BLOCKED)
        except ClientError as error:
            if code_of(error) not in UNSUPPORTED_CODES:
                raise
            return ["blocking of public access"]
    return []


def _create(client: "S3Client", bucket: str) -> None:
    region = client.meta.region_name
    where: dict[str, Any] = {}
    if region not in (DEFAULT_REGION, "aws-global"):  # S3 refuses these two here
        where["CreateBucketConfiguration"] = {"LocationConstraint": region}
    try:
        client.create_bucket(Bucket=bucket, **where)
    except ClientError as error:
        if code_of(error) == "BucketAlreadyExists":
            raise BadSetting(f"the bucket {bucket} belongs to another account: choose another name") from error
        if code_of(error) != "BucketAlreadyOwnedByYou":
            raise
