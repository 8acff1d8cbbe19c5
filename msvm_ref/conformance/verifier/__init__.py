"""Golden vectors re-proved with the standard library alone; ``vectors_verify.py`` beside this folder is the program.

Imports in here are relative and stay in here, so that the folder can be copied and used outside the package.
"""
