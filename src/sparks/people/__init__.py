"""Groups of faces become persons, and what humans decided beats what a machine found."""
