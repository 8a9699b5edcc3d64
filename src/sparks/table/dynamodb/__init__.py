"""The table in DynamoDB, or in any server that speaks its protocol with its transactions."""

from sparks.table.dynamodb.schema import create_table
from sparks.table.dynamodb.table import DynamoDbTable, connect

__all__ = ["DynamoDbTable", "connect", "create_table"]
