"""What false documents do to answers: topics with a true and a false value, attacks, scoring."""
