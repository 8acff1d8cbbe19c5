from .classic.kesler import KeslerKernel as KeslerKernel
from .methods import METHODS as METHODS
from .methods import solve as solve
from .methods import solve_path as solve_path
from .solution import Attempt as Attempt
from .solution import Solution as Solution
from .workspace import Workspace as Workspace
