"""Editing: findings, completion, hover and all else that an editor asks of a text; without threads or a protocol."""
