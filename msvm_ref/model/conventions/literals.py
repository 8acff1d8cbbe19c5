"""The table of conventions (docs/mathematics.md, section 2), one literal each; ``convention.Convention`` has the formula.

s is what our scores are times theirs, l their loss over ours, r the factor of their 1/2 ||w||^2. A margin m in
[m - (g_y - g_c)]_+ is s = 2/m, l = m with our 1/2 (f_y - f_c) >= 1.  A user's own convention is such a literal too.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from msvm_ref.errors import SpecError
from msvm_ref.foreign import rational, shown
from msvm_ref.model.arrays import LARGEST, real_number
from msvm_ref.model.catalogue import CS, LLW, OVA, WW
from msvm_ref.model.conventions.convention import ONE, Convention, Factor, Parameter, Posed
from msvm_ref.model.machine import Machine, Target

TWO, HALF, RIVALS, PER_RIVAL = (
    Factor(Fraction(2)),
    Factor(Fraction(1, 2)),
    Factor(power=1),
    Factor(power=-1),
)

UV = Convention(
    "UV", source="Dogan, Glasmachers, Igel 2016, (3): 1/2 (f_y - f_c) >= 1, C times the sum"
)
HL4 = Convention("HL(4)", WW, loss=TWO, bias="free", source="Hsu, Lin 2002, (4): f_y - f_c >= 2")
HL7 = Convention(
    "HL(7)",
    WW,
    loss=TWO,
    ridge=Factor(classes=1),
    bias="free",
    shift_free=True,
    source="Hsu, Lin 2002, (7): (4) with 1/2 sum_{m<l} ||w_m - w_l||^2, which is d/2 ||W||^2 for centred W",
)
HL9 = Convention(
    "HL(9)",
    WW,
    loss=TWO,
    bias="penalized",
    source="Hsu, Lin 2002, (9): (4) with 1/2 sum b^2; BSVM -s 1",
)
HL16 = Convention(
    "HL(16)", CS, scale=TWO, bias="none", source="Hsu, Lin 2002, (16): f_y - f_c >= 1; BSVM -s 2"
)
FH1 = Convention(
    "FH(1)", WW, scale=TWO, bias="free", source="Franc, Hlavac 2002, (1): f_y - f_c >= 1"
)
FH2 = Convention(
    "FH(2)", WW, scale=TWO, bias="penalized", source="Franc, Hlavac 2002, (2): (1) with 1/2 sum b^2"
)
ZDO_WW = Convention(
    "ZDO-WW", WW, loss=TWO, bias="free", source="Zien et al., display after (1.7): f_y - f_c >= 2"
)
ZDO_17 = Convention(
    "ZDO(1.7)",
    WW,
    scale=TWO,
    bias="free",
    source="Zien et al., (1.7) with the sum (gamma -> 0): f_y - f_c >= 1",
)
ZDO_CS = Convention(
    "ZDO-CS", CS, scale=TWO, bias="free", source="Zien et al., the CS display: f_y - f_c >= 1"
)
NP_WW = Convention(
    "NP(3)", WW, loss=TWO, ridge=TWO, source="Narsky, Porter 2013, (3) with tr(B'B): f_y - f_c >= 2"
)
NP_LLW = Convention(
    "NP(4)",
    LLW,
    scale=RIVALS,
    loss=PER_RIVAL,
    ridge=TWO,
    source="Narsky, Porter 2013, (4) with tr(B'B): f_c <= -1/(d-1)",
)
NP_CS = Convention(
    "NP(6)",
    CS,
    scale=TWO,
    ridge=TWO,
    source="Narsky, Porter 2013, (6) as a max, with tr(B'B): f_y - f_c >= 1",
)
LIBLINEAR_CS = Convention(
    "liblinear-cs",
    CS,
    scale=TWO,
    bias="penalized",
    source="LIBLINEAR -s 4, scikit-learn LinearSVC(multi_class='crammer_singer'): f_y - f_c >= 1",
)
LIBLINEAR_OVR = Convention(
    "liblinear-ovr", OVA, bias="penalized", source="LIBLINEAR -s 3, LinearSVC(loss='hinge')"
)
LIBLINEAR_OVR2 = Convention(
    "liblinear-ovr-squared",
    OVA.with_cost("quadratic"),
    bias="penalized",
    source="LIBLINEAR -s 1 and 2, LinearSVC(): squared hinge",
)
LIBSVM_OVR = Convention(
    "libsvm-ovr",
    OVA,
    bias="free",
    source="OneVsRestClassifier(SVC()): d binary machines, bias free",
)
LIBSVM = Convention(
    "libsvm",
    WW,
    ridge=HALF,
    bias="free",
    binary=True,
    source="LIBSVM C-SVC, two classes: y h >= 1, bias free",
)
SGD_OVA = Convention(
    "sgd-ova",
    OVA,
    parameter="lambda",
    bias="free",
    source="scikit-learn SGDClassifier(loss='hinge'): mean + alpha/2 ||w||^2, bias free",
)
KERNLAB_KBB = Convention(
    "kernlab-kbb", WW, loss=TWO, bias="penalized", source="kernlab kbb-svc: HL (9), K + 1"
)
KERNLAB_SPOC = Convention(
    "kernlab-spoc", CS, scale=TWO, bias="none", source="kernlab spoc-svc: HL (16)"
)
SHARK = Convention("shark", source="Shark: 1/2 (f_y - f_c) >= 1, as UV")
MLPACK = Convention(
    "mlpack",
    WW,
    scale=TWO,
    parameter="lambda",
    bias="penalized",
    source="mlpack linear_svm: mean of sum [1 + g_c - g_y]_+ plus lambda/2 ||w||^2, intercept among the w",
)
SVM_MULTICLASS = Convention(
    "svm-multiclass",
    CS,
    scale=Factor(Fraction(1, 50)),
    loss=Factor(Fraction(100)),
    parameter="C/n",
    bias="none",
    source="SVM-multiclass: C/n, f_y - f_c >= 100",
)
MSVMPACK_WW = Convention(
    "msvmpack-ww", WW, scale=TWO, bias="free", source="MSVMpack WW: f_y - f_c >= 1"
)
MSVMPACK_CS = Convention(
    "msvmpack-cs", CS, scale=TWO, bias="none", source="MSVMpack CS: f_y - f_c >= 1"
)
MSVMPACK_LLW = Convention(
    "msvmpack-llw",
    LLW,
    scale=RIVALS,
    loss=PER_RIVAL,
    bias="free",
    source="MSVMpack LLW: f_c <= -1/(d-1)",
)

CONVENTIONS: tuple[Convention, ...] = (
    UV,
    HL4,
    HL7,
    HL9,
    HL16,
    FH1,
    FH2,
    ZDO_WW,
    ZDO_17,
    ZDO_CS,
    NP_WW,
    NP_LLW,
    NP_CS,
    LIBLINEAR_CS,
    LIBLINEAR_OVR,
    LIBLINEAR_OVR2,
    LIBSVM_OVR,
    LIBSVM,
    SGD_OVA,
    KERNLAB_KBB,
    KERNLAB_SPOC,
    SHARK,
    MLPACK,
    SVM_MULTICLASS,
    MSVMPACK_WW,
    MSVMPACK_CS,
    MSVMPACK_LLW,
)


def margin(m: float | Fraction, machine: Machine, parameter: Parameter = "C") -> Convention:
    """[m - (g_y - g_c)]_+ for a relative machine, [m - g_y]_+ and [m + g_c]_+ for an absolute one, otherwise as we write it."""
    unit = {"relative": 2, "absolute": 1}.get(machine.margin_name)
    if unit is None or not isinstance(machine.target, Target) or machine.target != Target():
        raise SpecError(
            "machine",
            "have a relative or absolute margin with target 1",
            machine.name,
            "write a Convention literal",
        )
    if real_number(m) is None or not 1 / LARGEST <= m <= LARGEST:
        raise SpecError("m", f"lie in [{1 / LARGEST:g}, {LARGEST:g}]", shown(m))
    return Convention(
        f"margin{m}",
        machine,
        scale=Factor(unit / Fraction(m)),
        loss=Factor(Fraction(m)),
        parameter=parameter,
        source=f"margin {m}",
    )


def convention_named(name: str, machine: Machine | None = None) -> Convention:
    """By name (``HL(4)``, ``liblinear-cs``), or ``margin1``, ``margin2``, ... of the given machine.

    ``UV, C/n`` and ``margin1, lambda`` are the same with another meaning of the constant.
    """
    base, comma, parameter = (part.strip() for part in name.partition(","))
    if comma:
        return with_parameter(convention_named(base, machine), parameter)
    for convention in CONVENTIONS:
        if convention.name.lower() == base.lower():
            return convention
    if base.lower().startswith("margin") and machine is not None:
        return margin(rational(base[len("margin") :], "the m of margin m", SpecError), machine)
    known = ", ".join(c.name for c in CONVENTIONS)
    raise SpecError(
        "convention", f"be one of {known}, or margin1, margin2, ... of a machine", shown(name)
    )


def with_parameter(convention: Convention, parameter: str) -> Convention:
    """The convention whose constant is C, C/n, lambda or 1/C instead; its name says so."""
    if parameter == convention.parameter:
        return convention
    base = convention.name.partition(",")[0]
    chosen: Parameter = parameter  # type: ignore[assignment]  # checked when it is made
    return replace(convention, name=f"{base}, {parameter}", parameter=chosen)


__all__ = ["CONVENTIONS", "ONE", "Convention", "Factor", "Posed", "convention_named", "margin"]
__all__ += [name for name, value in list(globals().items()) if isinstance(value, Convention)]
