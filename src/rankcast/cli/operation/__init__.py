"""Commands that publish, serve and look after a store."""
