"""What the doors write down for later: the audit log, replies that may be asked for again."""
