"""What a file tells about itself: when, where and with what it was taken, and the words that people put to it."""
