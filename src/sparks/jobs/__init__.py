"""Job queues and their adapters."""
