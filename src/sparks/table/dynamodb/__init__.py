"""Table in DynamoDB or a server that speaks its API."""

from sparks.table.dynamodb.schema import create_table
from sparks.table.dynamodb.table import DynamoDbTable, connect

__all__ = ["DynamoDbTable", "connect", "create_table"]
