"""Proofs that a schema is sound and complete for every sentence length, with certificates and their checker."""
