"""The atlas: every multi-class SVM one can install, before the judge. ``registry.ENTRIES`` lists them, ``runner`` runs them."""
