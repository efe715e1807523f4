"""How far a question reaches through mentions, and what that makes of a passage. Pure numbers."""
