"""Conversations that last: the turns of a user, kept in the store's threads."""
