"""Commands that change the catalog: subscriptions, preferences, policies, concepts."""
