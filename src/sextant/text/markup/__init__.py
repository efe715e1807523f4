"""What stands in a page beside its words: tags, components, shortcodes. Knows no blocks."""
