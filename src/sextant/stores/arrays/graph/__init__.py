"""Walking from entity to entity, and finding one by its name."""
