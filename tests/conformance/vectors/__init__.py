"""Every sentence of the vectors port, compared one by one and through the graph; and what the file holds."""
