"""Pages of the web as text, from addresses that the user named."""
