"""Commands that publish, serve and maintain a store."""
