"""Combinations of certified binary machines: one-against-all, one-against-one, DAGSVM, margin trees."""

from msvm_ref.reductions.dag import dag
from msvm_ref.reductions.margin_tree import margin_tree
from msvm_ref.reductions.one_vs_all import one_vs_all
from msvm_ref.reductions.one_vs_one import one_vs_one

__all__ = ["dag", "margin_tree", "one_vs_all", "one_vs_one"]
