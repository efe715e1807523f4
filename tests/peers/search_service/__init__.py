"""A search service on the loopback that answers as Azure AI Search does, as far as it is asked.

Nobody publishes an emulator of that service. Paths, shapes and statuses are those that the package
azure-search-documents sends and reads, rules and messages those of the public documentation of the
REST API 2026-04-01. It knows nothing of Sextant's store; words, BM25 and the parser of filters are
borrowed.
"""
