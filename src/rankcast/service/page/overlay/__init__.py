"""The overlay: brokers, and the messages between them."""
