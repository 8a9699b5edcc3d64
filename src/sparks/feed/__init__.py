"""What a viewer sees."""
