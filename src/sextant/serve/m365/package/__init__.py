"""The app package by which Teams and Copilot know the bot: manifests, icons, one archive."""
