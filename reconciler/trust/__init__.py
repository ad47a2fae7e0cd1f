"""Who stands behind a commit: keys to principals, signatures to keys, roles to paths, and what a site asks for.

Authority belongs to verified principals of the last applied commit's approvers.yaml; what a commit says of its own
author, and what it would change about the approvers, counts for nothing here.
"""
