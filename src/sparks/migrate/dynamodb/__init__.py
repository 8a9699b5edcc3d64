"""Tables of DynamoDB as a source: read into a staging file, and compared with it later."""
