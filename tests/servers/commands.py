"""Commands that start each server: `make setup-dev` puts the programs beside this file."""

import contextlib
import functools
import json
from pathlib import Path
from typing import Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.servers.process import free_port, shared, wait_until

HERE: Final = Path(__file__).parent
ACCESS_KEY: Final = "sparkstests"
SECRET_KEY: Final = "sparkstestssecret"
REGION: Final = "eu-central-1"


def dynamodb_local() -> str:
    emulator = HERE / "node_modules/amplify-dynamodb-simulator/emulator"

    def command(port: int, _home: Path) -> list[str]:
        return [
            "java",
            "-Xmx512m",
            f"-Djava.library.path={emulator / 'DynamoDBLocal_lib'}",
            "-jar",
            str(emulator / "DynamoDBLocal.jar"),
            "-inMemory",
            "-sharedDb",
            "-disableTelemetry",
            "-port",
            str(port),
        ]

    return shared("dynamodb-local", command)


def dynoxide() -> str:
    def command(port: int, _home: Path) -> list[str]:
        binary = HERE / "node_modules/@dynoxide/linux-x64/dynoxide"
        return [str(binary), "--host", "127.0.0.1", "--port", str(port)]

    return shared("dynoxide", command)


def ministack() -> str:
    """SQS alone, in memory, and out of reach of any Docker daemon."""

    def command(port: int, home: Path) -> list[str]:
        settings = {
            "GATEWAY_PORT": str(port),
            "BIND_HOST": "127.0.0.1",
            "MINISTACK_HOST": "127.0.0.1",
            "SERVICES": "sqs",
            "PERSIST_STATE": "0",
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "DOCKER_HOST": f"unix://{home / 'no-docker'}",
            "TMPDIR": str(home),
            "LOG_LEVEL": "WARNING",
        }
        binary = HERE / ".venv/bin/ministack"
        return ["env", *(f"{name}={value}" for name, value in settings.items()), str(binary)]

    return shared("ministack", command)


@functools.cache
def seaweedfs() -> str:
    """S3. It does not end on SIGTERM while a client is connected, and leaves sockets behind: a shell sees to both."""

    def command(port: int, home: Path) -> list[str]:
        key = {"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}
        settings = {"identities": [{"name": "tests", "credentials": [key], "actions": ["Admin"]}]}
        (home / "s3.json").write_text(json.dumps(settings))
        ports = {f"{server}.port": free_port() for server in ("master", "volume", "filer")} | {"s3.port": port}
        ports |= {f"{name}.grpc": free_port() for name in ports}
        sockets = " ".join(f"/tmp/seaweedfs-*-{port}.sock" for port in ports.values())  # noqa: S108  its choice
        script = ['"$0" "$@" &', """trap "trap '' TERM; kill -KILL $!" TERM""", "wait", f"rm -f {sockets}"]
        return [
            *("env", "WEED_MASTER_VOLUME_GROWTH_COPY_1=1"),
            *("sh", "-c", "\n".join(script)),
            *(str(HERE / ".venv/bin/weed"), "-logtostderr", "server"),
            *("-dir=.", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3", "-s3.config=s3.json"),
            *(f"-{name}={number}" for name, number in ports.items()),
            *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.peers=none", "-master.telemetry=false"),
            *("-volume.max=500", "-master.volumeSizeLimitMB=128", "-volume.minFreeSpace=1MiB"),
        ]

    url = shared("seaweedfs", command)
    wait_until(lambda: _takes_a_put(url), what="SeaweedFS to take a blob")
    return url


def _takes_a_put(url: str) -> bool:
    client = boto3.client(
        "s3",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )
    try:
        with contextlib.suppress(client.exceptions.BucketAlreadyOwnedByYou):
            client.create_bucket(Bucket="ready", CreateBucketConfiguration={"LocationConstraint": REGION})
        client.put_object(Bucket="ready", Key="ready", Body=b"ready")
    except (BotoCoreError, ClientError):
        return False
    return True
