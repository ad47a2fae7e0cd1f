"""Pure half of Charter: YAML bytes become a Site, a Site becomes a Rendering. No file, clock or network is touched here."""
