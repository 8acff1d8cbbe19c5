"""Your solver before the judge, one pytest a check: ``pytest test_my_svm.py --msvm-report report.md``."""

from my_svm import my_svm

import msvm_ref as mr


@mr.conformance.parametrize(my_svm, machine=mr.WW, convention="UV", bias="none")
def test_my_svm(check):
    check()
