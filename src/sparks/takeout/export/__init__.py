"""Export of a library as plain files with sidecars.

`photo_details` reads the data of a photo, `sidecars` formats them, `manifest` lists the files that are in the folder
already, `exporter` writes the others, and `verify_export` reads all of them back.
"""
