"""Combinations of certified binary machines: one-against-all, one-against-one, DAGSVM, margin trees."""
