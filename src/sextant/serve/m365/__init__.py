"""Where Microsoft 365 Copilot and Teams come in: Bot Framework activities over HTTP."""
