"""One kind of file a module: its schema, and how a document of that shape becomes data."""
