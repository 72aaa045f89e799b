"""The catalog in the store: a log of versions, the newest one as a table, and what makes both quick."""
