"""Dependency trees and sentences, and the classes trees belong to."""

from schemata.structures.sentence import Sentence
from schemata.structures.trees import DependencyTree

__all__ = ["DependencyTree", "Sentence"]
