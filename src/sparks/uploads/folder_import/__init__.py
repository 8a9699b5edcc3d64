"""Import of folders, whose files are read and never changed."""
