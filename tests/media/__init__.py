"""Bytes in, values out: what is made of pictures and videos."""
