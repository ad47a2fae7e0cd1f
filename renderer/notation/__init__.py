"""Text that engines and people write for hosts, times, resources and names, to values and back."""
