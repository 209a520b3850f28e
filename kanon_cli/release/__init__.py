"""The end of the road: a checked release and its report appear together, or not at all."""

from kanon_cli.release.pages import WaitingPage, check_page, waiting
from kanon_cli.release.recovery import recover
from kanon_cli.release.seal import Sealed, publish, seal
from kanon_cli.release.stage import Stage, staging
from kanon_cli.release.targets import check_targets

__all__ = [
    "Sealed",
    "Stage",
    "WaitingPage",
    "check_page",
    "check_targets",
    "publish",
    "recover",
    "seal",
    "staging",
    "waiting",
]
