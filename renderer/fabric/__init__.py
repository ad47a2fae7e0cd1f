"""What the declared wiring means: which hosts share all their leaves, and what lies above them. Link state is nobody's business here."""
