"""The auditor: it judges a finished table as a stranger reads it, and shares no code with the engine that made it."""
