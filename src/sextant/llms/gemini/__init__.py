"""Google Gemini."""
