"""Questions over the documentation of packages, for fitting: 42 with an answer and 8 without.

What a set asks is in ``NAME.jsonl``, in the form of ../shared/eval/answers.py. The pages come from
the packages themselves, by name; versions and files are in ``packages``.
"""
