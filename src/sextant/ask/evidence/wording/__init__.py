"""What the words of a text tell: values, conditions, days in force. Knows no question."""
