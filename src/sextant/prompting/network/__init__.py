"""How bytes come from models and other servers: asyncio's own transports below an HTTP client."""
