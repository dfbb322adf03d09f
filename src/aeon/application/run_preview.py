"""What a run of a Process would call, step by step, and the words for it; `ProcessService.preview` makes it."""

from aeon.platform.diagrams.descriptions import SECTION_CAPTIONS, describe_action
from aeon.platform.runs.preview import StepPreview

__all__ = ["SECTION_CAPTIONS", "StepPreview", "describe_action"]
