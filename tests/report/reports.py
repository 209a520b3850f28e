"""A report to show, as JSON has it."""

from __future__ import annotations

from typing import Any

NASTY = "<script>alert('a' & \"b\")</script>"


def report(name: str = "hospital stays", column: str = "age") -> dict[str, Any]:
    """Give a whole report."""
    sizes = [{"from": 5, "to": 5, "classes": 3, "rows": 15}, {"from": 6, "to": 9, "classes": 1, "rows": 9}]
    shares = [{"from": at / 10, "to": (at + 1) / 10, "classes": int(at == 3) * 4, "rows": 24} for at in range(10)]
    steps = [0.0, 0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 1.0]
    precision = [
        {"from": low, "to": high, "rows": rows}
        for low, high, rows in zip(steps, steps[1:], (4, 4, 4, 4, 4, 3, 1), strict=False)
    ]
    return {
        "kanon": {"version": "0.1.0"},
        "spec": {"name": name, "sha256": "5" * 64},
        "input": {"path": "in.csv", "rows": 26, "sha256": "1" * 64},
        "output": {"path": "out.csv", "rows": 24, "sha256": "2" * 64},
        "privacy": {
            "required": {"k": 5, "l": 2.0, "t": 0.25},
            "achieved": {"k": 5, "l_frequency": 2.5, "l_distinct": 3, "l_entropy": 2.75, "t": 0.20001, "delta": None},
            "risk": {"prosecutor_max": 0.2, "prosecutor_mean": 0.16, "threshold": 0.1, "prosecutor_at_risk": 1},
            "risk_before": {"prosecutor_max": 1.0, "prosecutor_mean": 0.9},
            "verified": True,
            "truthful": True,
        },
        "classes": {
            "count": 4,
            "min": 5,
            "mean": 6.0,
            "max": 9,
            "histogram": [{"from": 5, "to": 9, "classes": 4, "rows": 24}],
            "sizes": sizes,
            "sensitive": {"diagnosis": shares},
        },
        "leaks": [
            {"rule": "input-order", "severity": "warning", "column": None, "what": "as it was", "hint": "sort"},
        ],
        "views": {"*": {"rows": 3, "own": {"k": 5}, "wildcard": None}},
        "suppressed_rows": 2,
        "suppressed": {
            "rows": 2,
            "most": 3,
            "overrepresented": 1.5,
            "distance": {"diagnosis": 0.25},
            "by_value": {"diagnosis": [{"rows": 22, "left_out": 0}, {"rows": 4, "left_out": 2}]},
        },
        "utility": {
            "lm": 0.25,
            "entropy": None,
            "dm": 12345.0,
            "bound": {"lm": 0.2},
            "details": {"bound": {"lm": {"kind": "sampled", "rows": 9, "confidence": 0.999}}, "dm": {"more": 1.5}},
            "later": {"sex": {"f": 0.2, "m": 0.3}},
            "by_size": {"5-9": {"rows": 20, "loss": 0.25}, "10-19": {"rows": 4, "loss": 0.5}},
            "pairs": {column: {"sex": {"before": 0.5, "after": 0.125}}},
            "fairness": {
                "column": "sex",
                "gap": 0.125,
                "groups": [
                    {"rank": 1, "rows": 14, "loss": 0.25, "values": 1, "left_out": 0},
                    {"rank": 2, "rows": 10, "loss": 0.375, "values": 3, "left_out": 2},
                ],
            },
        },
        "attributes": {
            column: {
                "loss": 0.4,
                "distinct_in": 20,
                "distinct_out": 4,
                "suppressed": 1,
                "missing": 2,
                "precision": precision,
                "counts_in": [12, 8, 4],
                "counts_out": [11.5, 8.5, 4.0],
                "means": [737425.4, 737790.2],
                "type": "date",
                "weight": 1.0,
            },
            "sex": {
                "loss": None,
                "distinct_in": 2,
                "distinct_out": 2,
                "suppressed": 0,
                "missing": 0,
                "precision": None,
                "type": "categorical",
                "weight": 2.0,
            },
        },
        "algorithm": {
            "name": "lns",
            "parameters": {"alpha": 0.5},
            "seed": 0,
            "measure": "lm",
            "effort": 100,
            "losses": [0.5, 0.3, 0.25],
        },
        "timing": {"read": 0.1, "total": 130.0},
        "environment": {"made": "2026-11-18T12:00:00+00:00", "python": "3.11.7"},
    }
