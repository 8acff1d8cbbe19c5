"""Your solver before the judge, one pytest a check: ``pytest test_my_svm.py --msvm-report report.md``."""

import msvm_ref as mr
from my_svm import my_svm


@mr.conformance.parametrize(my_svm, machine=mr.WW, convention="UV", bias="none")
def test_my_svm(check):
    check()
