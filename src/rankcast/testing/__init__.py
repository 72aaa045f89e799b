"""What tests of Rankcast, and of programs that use it, need again and again."""
