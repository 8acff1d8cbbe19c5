"""scikit-learn's face: one estimator for every machine, and one for each reduction."""

from msvm_ref.estimator.binaries import DAGSVC, OneVsAllSVC, OneVsOneSVC
from msvm_ref.estimator.multiclass import MulticlassSVC
from msvm_ref.estimator.tree import MarginTreeClassifier

__all__ = ["DAGSVC", "MarginTreeClassifier", "MulticlassSVC", "OneVsAllSVC", "OneVsOneSVC"]
