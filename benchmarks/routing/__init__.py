"""Routing: the rules that choose which machines are evaluated, their accuracy and cost."""
