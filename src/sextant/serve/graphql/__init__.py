"""The GraphQL door of CopilotKit: its schema, its documents, and what they come to."""
