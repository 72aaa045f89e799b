"""Administration: users, set-aside events, unreadable records, and the audit trail."""
