"""What the API server and the controllers would say about one object, before they see it."""
