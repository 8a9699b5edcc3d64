"""Face detection: from a picture to boxes, quality and embeddings, and their storage; persons come later."""
