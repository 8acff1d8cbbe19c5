"""A permanent attacker on the judge: its own exact evaluator, its own problems and candidates, every check exact."""
