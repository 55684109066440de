"""How long to wait for another process or thread before something must be wrong.

Long enough for a computer that is busy with other work: waiting ends as soon as there is an answer.
"""

SECONDS = 300
