"""The algorithms of the papers, as published."""
