"""What is looked after while nobody looks: what got lost is found, what is left over goes."""
