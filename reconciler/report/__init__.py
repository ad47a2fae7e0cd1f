"""How a plan is shown: one format a file, each a pure function from a Plan to text."""
