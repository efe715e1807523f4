"""Where CopilotKit's clients come in, whichever of its protocols they speak."""
