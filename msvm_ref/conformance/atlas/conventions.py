"""How the libraries of the atlas write their problems, where the package's own table has no literal for it."""

from __future__ import annotations

from dataclasses import replace

from msvm_ref.model.catalogue import CS, WW
from msvm_ref.model.conventions.convention import Convention
from msvm_ref.model.conventions.literals import (
    LIBLINEAR_CS,
    LIBLINEAR_OVR,
    LIBLINEAR_OVR2,
    LIBSVM,
    TWO,
)

LIBSVM_PAIRS = replace(
    LIBSVM, name="libsvm-ovo", source="every pair: 1/2 ||w||² + C Σ [1 − y (w·x + b)]₊, bias free"
)
LIBLINEAR_FREE = replace(
    LIBLINEAR_OVR2,
    name="liblinear-R",
    bias="free",
    source="LIBLINEAR -s 2 -B 1 -R: squared hinge, intercept not penalised",
)
LIBLINEAR_CS_NONE = replace(
    LIBLINEAR_CS,
    name="liblinear-cs-none",
    bias="none",
    source="LIBLINEAR -s 4 without -B: 1/2 ||W||² + C Σ max_c [1 − (f_y − f_c)]₊, no intercept",
)
OVA_NONE = replace(
    LIBLINEAR_OVR,
    name="ovr-none",
    bias="none",
    source="each class: 1/2 ||w||² + C Σ [1 − y w·x]₊, no intercept",
)
OVA2_NONE = replace(
    LIBLINEAR_OVR2,
    name="ovr-squared-none",
    bias="none",
    source="each class: 1/2 ||w||² + C Σ [1 − y w·x]₊², no intercept",
)
OVA_SUM = replace(
    OVA_NONE,
    name="ovr-sum",
    parameter="1/C",
    source="each class: λ/2 ||w||² + Σ [1 − y w·x]₊, no intercept",
)
OVA_SUM_BIAS = replace(
    LIBLINEAR_OVR,
    name="ovr-sum-bias",
    parameter="1/C",
    source="each class: λ/2 (||w||² + b²) + Σ [1 − y (w·x + b)]₊",
)
OVA2_SUM = replace(
    OVA2_NONE,
    name="ovr-squared-sum",
    parameter="1/C",
    source="each class: λ/2 ||w||² + Σ [1 − y w·x]₊², no intercept",
)
DLIB = Convention(
    "dlib-cs",
    CS,
    scale=TWO,
    parameter="C/n",
    bias="none",
    source="dlib svm_multiclass_linear: 1/2 ||W||² + C/n Σ max_c [1 − (f_y − f_c)]₊",
)
JAXOPT = Convention(
    "jaxopt-cs",
    CS,
    scale=TWO,
    parameter="1/C",
    bias="none",
    source="jaxopt multiclass_linear_svm: λ/2 ||W||² + Σ max_c [1 − (f_y − f_c)]₊",
)
TORCH_WW = Convention(
    "torch-ww",
    WW,
    scale=TWO,
    parameter="lambda",
    bias="penalized",
    source="mean Σ_c [1 − (f_y − f_c)]₊ + λ/2 (||W||² + ||b||²); MultiMarginLoss divides by d",
)
TORCH_WW2 = replace(
    TORCH_WW,
    name="torch-ww2",
    machine=WW.with_cost("quadratic"),
    source="mean Σ_c [1 − (f_y − f_c)]₊² + λ/2 (||W||² + ||b||²); MultiMarginLoss(p=2) divides by d",
)
OVA_MEAN_BIAS = replace(
    LIBLINEAR_OVR,
    name="ovr-mean-bias",
    parameter="C/n",
    source="each class: 1/2 (||w||² + b²) + C/n Σ [1 − y (w·x + b)]₊",
)
BSVM_PAIRS = replace(
    LIBSVM,
    name="bsvm-ovo",
    bias="penalized",
    source="every pair: 1/2 (||w||² + b²) + C Σ [1 − y (w·x + b)]₊, the bound-constrained form",
)
