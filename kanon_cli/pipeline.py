"""The way of the data, from a spec to a verified release, as code."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kanon_cli import bounding, sharding
from kanon_cli.accounting import make_report
from kanon_cli.algorithms.base import Covering, Grouping, Terms
from kanon_cli.clock import Clock
from kanon_cli.completing import complete
from kanon_cli.drafting import write_candidate
from kanon_cli.errors import Mistake, UnsafeError
from kanon_cli.events import Observer
from kanon_cli.examining import check_limits, examine
from kanon_cli.feasibility import check_feasible
from kanon_cli.intake import Intake, build_domains, take_in
from kanon_cli.preparing import bound_loss, encode
from kanon_cli.problem import Problem
from kanon_cli.release import WaitingPage, check_page, check_targets, publish, recover, seal, staging, waiting
from kanon_cli.report.model import Report
from kanon_cli.spec.model import DEFAULT_SEED, Spec
from kanon_cli.spec.targets import output_of, page_of, targets_of
from kanon_cli.tables.sources import sha256


@dataclass(frozen=True)
class Run:
    """What a run has made."""

    report: Report
    release: Path
    report_file: Path
    page: Path | None
    published: bool


def run(spec: Spec, observer: Observer, *, force: bool = False, dry_run: bool = False) -> Run:
    """Make the release that a spec describes, read it back, and publish it with its report if every promise holds.

    A dry run does all of it but the last step.
    """
    output = output_of(spec)
    release, report_file = targets_of(spec)
    for done in recover(release, report_file):
        observer.warn(done)
    check_targets(release, report_file, force)
    page = page_of(spec)
    if page is not None:
        check_page(page, (release, report_file), force)
    clock = Clock(observer)
    clock.stage("read")
    intake = take_in(spec, observer)
    domains, problem = encode(spec, intake, clock)
    bound = bound_loss(spec, domains, problem, clock)
    terms = terms_of(spec, bound, clock)
    result, left_out = complete(spec, intake, domains, problem, cluster(spec, problem, terms, clock), terms)
    with staging(release, report_file) as stage:
        witness = write_candidate(intake, domains, problem, result, left_out, output, stage, clock)
        clock.stage("verify")
        read_sha256 = sha256([stage.release_file])
        finding = examine(spec, intake, output, stage, witness, observer)
        sealed = seal(stage, finding.verdicts)
        if sealed.sha256 != read_sha256:
            raise UnsafeError(Mistake("the release changed while it was checked", where=str(release)))
        check_limits(spec, finding)
        report = make_report(spec, intake, finding, result, bound, sealed.sha256, clock.timing())
        stage.report_file.write_text(report.text(), encoding="utf-8")
        with page_beside(page, report) as waiting_page:
            if not dry_run:
                publish(sealed)
                if waiting_page is not None:
                    waiting_page.bring_out()
    return Run(report, release, report_file, page, not dry_run)


def check(spec: Spec, observer: Observer) -> Intake:
    """Hold a spec, its taxonomies and its table against each other, without writing anything."""
    observer.stage("read")
    intake = take_in(spec, observer)
    observer.stage("encode")
    check_feasible(spec, intake)
    build_domains(intake)
    return intake


@contextmanager
def page_beside(page: Path | None, report: Report) -> Iterator[WaitingPage | None]:
    """Have the page of a report ready before the release goes out: then only a rename is left."""
    if page is None:
        yield None
        return
    from kanon_cli.report.facts import Facts
    from kanon_cli.report.html import page as draw  # templates are loaded only where a page is wanted

    with waiting(page, draw(Facts(json.loads(report.text())))) as result:
        yield result


def terms_of(spec: Spec, bound: bounding.Bound | None, clock: Clock) -> Terms:
    """On what terms the algorithm works."""
    return Terms(
        seed=spec.seed,
        effort=spec.work,
        threads=len(os.sched_getaffinity(0)) if spec.engine.threads == "auto" else spec.engine.threads,
        spent=lambda: (time.perf_counter() - clock.started) / spec.seconds,
        progress=clock.observer.progress,
        warn=clock.observer.warn,
        least=bound.loss if bound else None,
    )


def cluster(spec: Spec, problem: Problem, terms: Terms, clock: Clock) -> Grouping | Covering:
    """Let the algorithm group the rows of every shard, or give each a box."""
    clock.stage("cluster")
    if not spec.algorithm.anytime and {"effort", "time_limit"} & spec.given:
        clock.observer.warn(f"{spec.algorithm.name} has no use for effort and time_limit: it ends by itself")
    if spec.algorithm.secret_seed and spec.seed == DEFAULT_SEED:
        clock.observer.warn(
            f"{spec.algorithm.name} hides by its seed whose row is whose, and anybody can guess the default: "
            "set a long random `seed`, and keep the spec to yourself"
        )
    most = spec.privacy.most_left_out(problem.rows)
    if spec.algorithm.leaves_out and most == 0:
        clock.observer.warn(f"{spec.algorithm.name} leaves no rows out: privacy.suppression allows none")
    shards = sharding.split(problem)

    def work(shard: sharding.Shard) -> Grouping | Covering:
        own = replace(terms, most_left_out=most * shard.problem.rows // problem.rows)
        return spec.algorithm.work(shard.problem, own)

    return sharding.join(shards, spec.backend.map(work, shards))
