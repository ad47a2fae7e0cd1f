"""The site as frozen data, one kind a file. Nothing here reads, checks or renders."""
