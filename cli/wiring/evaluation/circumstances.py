"""What an evaluation was made with: versions, models, settings that change answers, and the machine. No names of
places, no addresses and no secrets."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from composition import models
from composition.model_registry.serving import Serving, recipe_of
from vouch.adapters.models.encoder import Placement
from vouch.settings import Settings

SEED = 0                                # of every draw of an evaluation that is told no other
_PACKAGES = ("vouch", "numpy", "torch", "transformers", "faiss-cpu")
_GROUPS = ("chunking", "retrieval", "answering", "steps")


def circumstances(settings: Settings, serving: Serving, seed: int = SEED) -> dict[str, Any]:
    """What a report was made with, ready for JSON; of the settings, those that change answers."""
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "models": {
            "encoder": models.encoder_weights(settings), "reranker": serving.scorers().reranked_by,
            "evaluator": serving.judge().name, "writer": getattr(settings.writer, "model", settings.writer.kind),
        },
        "settings": _that_matter(settings),
        "seed": seed,
        "hardware": hardware(settings.encoder.device),
    }


def hardware(device: str) -> dict[str, Any]:
    """In words; `device` as the setting says."""
    return {
        "system": f"{platform.system()} {platform.machine()}", "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "device": Placement.choose("auto", device).device,
    }


def _that_matter(settings: Settings) -> dict[str, Any]:
    told = {f"{group}.{name}": value for group in _GROUPS
            for name, value in getattr(settings, group).model_dump(mode="json").items()}
    recipe = recipe_of(settings)
    return {
        **told, "recipe": recipe.name, "recipe.steps": [repr(step) for step in recipe.facts.steps],
        "encoder.dtype": settings.encoder.dtype, "lexical": settings.lexical.kind,
        "vectors": settings.vectors.kind, "web": settings.web.engine,
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:    # an installation without it
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
