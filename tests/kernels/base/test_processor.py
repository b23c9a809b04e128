"""Which loops the processor can run, and that every module that has several of them is told."""

from pathlib import Path

from ctree_ext.base.processor import use_processor

KERNELS = Path(__file__).parents[3] / "ctree_ext"


def test_the_level_is_at_most_that_of_the_processor():
    try:
        assert use_processor(0) == 0
        greatest = use_processor(1000)
        assert 0 <= greatest <= 3
        assert [use_processor(level) for level in range(4)] == [min(level, greatest) for level in range(4)]
    finally:
        use_processor(3)


def test_modules_with_loops_for_several_processors_follow_it():
    headers = {p.name for p in KERNELS.rglob("*.h") if '"../base/processor.h"' in p.read_text()}
    assert "bitblocks.h" in headers
    sources = {p: p.read_text() for p in [*KERNELS.rglob("*.pyx"), *KERNELS.rglob("*.pxd")]}
    include = {p for p, text in sources.items() if any(f'extern from "{name}"' in text for name in headers)}
    named = {f"from ctree_ext.{p.parent.name}.{p.stem} cimport" for p in include if p.suffix == ".pxd"}
    modules = {
        p for p, text in sources.items() if p.suffix == ".pyx" and (p in include or any(n in text for n in named))
    }
    assert len(modules) > 8
    assert sorted(p.name for p in modules if "\nfollow_processor(own_level())\n" not in sources[p]) == []
