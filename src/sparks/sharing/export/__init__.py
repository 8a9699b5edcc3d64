"""A library as plain files: originals in folders by year and month, and beside each what Sparks knows of it.

`telling` gathers what is known of a photo, `xmp` and `sidecar` write it down, `manifest` knows what is in the folder
already, `exporting` writes what is not, and `verifying` reads all of it back.
"""
