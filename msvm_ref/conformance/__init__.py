"""For other people's code: strategies that draw problems, and laws and checks to hold a solver to."""
