from . import papers as papers
from .circle import circle_study as circle_study
from .comparison import compare as compare
from .regimes import kde_regime as kde_regime
from .regimes import one_point as one_point
from .theorems import check_theorems as check_theorems
