"""The one path by which a commit reaches the live engines, once or again and again."""
