"""Small servers that speak the real protocols of providers, for tests. They remember all they hear.

Which fault they show, if any, is set from outside: see ``http.Fault``.
"""
