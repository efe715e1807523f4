"""What attackers tried, one file per finding."""
