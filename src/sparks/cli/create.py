"""`sparks create`: creates the table, bucket and queues of a cloud set-up."""

import click

from sparks.cli.options import json_option, print_json, print_line, with_settings
from sparks.settings import Settings


@click.command()
@json_option
@with_settings
def create(settings: Settings, *, as_json: bool) -> None:
    """Create the table, the bucket and the queues that the settings name and that do not exist yet.

    Only DynamoDB, S3 and SQS need this: Sparks creates stores in the data folder by itself. You may repeat the command.

    \b
    Example:
      SPARKS_TABLE=dynamodb SPARKS_BLOBS=s3 SPARKS_JOBS=sqs \\
      SPARKS_REGION=eu-central-1 SPARKS_BUCKET=photos-example-org sparks create
    """
    from sparks.wiring import create_stores

    made = []
    for what, lacking in create_stores(settings):
        made.append({"what": what, "lacking": lacking})
        if not as_json:
            print_line(f"{what} is there" + (f"; its server lacks {', '.join(lacking)}" if lacking else ""))
    if as_json:
        print_json(made)
    elif not made:
        print_line("nothing to create: the settings name no table, bucket or queues outside the data folder")
