"""Effectful half of Charter: a commit enters, is judged, planned, applied to live systems, and sealed into a record."""
