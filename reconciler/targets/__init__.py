"""The live systems, each behind one contract: observe, diff, apply, verify."""
