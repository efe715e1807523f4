"""Pure text work: words, names. Values in, values out; knows no store and no step."""
