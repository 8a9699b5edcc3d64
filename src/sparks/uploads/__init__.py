"""Uploads: reserve, receive, complete and finalize, until the original is durable."""
