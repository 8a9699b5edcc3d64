"""How each server is started: `make setup-dev` puts the programs beside this file."""

from pathlib import Path
from typing import Final

from tests.servers.process import shared

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
