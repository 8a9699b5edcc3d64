"""`sparks create`: what must be there before Sparks runs on more than one machine."""

import click

from sparks.cli.options import json_option, print_json, say, with_settings
from sparks.settings import Settings


@click.command()
@json_option
@with_settings
def create(settings: Settings, *, as_json: bool) -> None:
    """Make the table, the bucket and the queues that the settings name, where they are not there yet.

    Only DynamoDB, S3 and SQS need this: what lives in the data folder makes itself. It may be run again at any time.

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
            say(f"{what} is there" + (f"; its server lacks {', '.join(lacking)}" if lacking else ""))
    if as_json:
        print_json(made)
    elif not made:
        say("nothing to make: the settings name no table, bucket or queues outside the data folder")
