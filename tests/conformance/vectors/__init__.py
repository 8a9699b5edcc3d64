"""Suite for the vectors port, run by exhaustive comparison and on the graph; and the file of the embedded adapter."""
