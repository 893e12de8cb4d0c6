"""django-q2 made trustworthy: the parts of it that lose work or stand still are replaced here, nothing else is.

What was measured, and why each part exists, is in the reference page on django-q2.
"""
