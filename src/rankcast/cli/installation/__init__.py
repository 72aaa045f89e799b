"""Commands about this installation: demo, doctor, reproduce."""
