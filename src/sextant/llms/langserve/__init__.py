"""LangServe chains."""
