"""The way of the data, from a spec to a verified release, as code."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kanon_cli import aiming, bounding, closing, crowding, encoding, settling, sharding, warmup
from kanon_cli.algorithms.base import Covering, Grouping, Terms
from kanon_cli.audit.gather import gather, group
from kanon_cli.audit.inspection import Finding, Original, Subject, inspect
from kanon_cli.audit.leaks import leaks
from kanon_cli.audit.reading import Numeric
from kanon_cli.compiling import compile_all
from kanon_cli.errors import LimitError, Mistake, SpecError, UnsafeError
from kanon_cli.events import Observer
from kanon_cli.intake import Intake, build_domains, check_feasible, evidence_of, forbidden, null_text, take_in
from kanon_cli.problem import Problem
from kanon_cli.release import (
    Stage,
    WaitingPage,
    check_page,
    check_targets,
    publish,
    recover,
    seal,
    staging,
    waiting,
)
from kanon_cli.report.model import About, AlgorithmFacts, FileFacts, Report, SpecFacts
from kanon_cli.reporting import (
    attribute_blocks,
    bound_entries,
    classes_block,
    privacy_block,
    promised,
    suppressed_block,
    utility_block,
)
from kanon_cli.spec.model import DEFAULT_SEED, Output, Spec
from kanon_cli.tables import decode
from kanon_cli.tables.domains import Domain
from kanon_cli.tables.read import read_release
from kanon_cli.tables.sources import layout_for, sha256
from kanon_cli.tables.write import write
from kanon_cli.version import VERSION

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

SEARCH_LOSSES = 40  # losses of a search that the report shows at the most


@dataclass(frozen=True)
class Run:
    """What a run has made."""

    report: Report
    release: Path
    report_file: Path
    page: Path | None
    published: bool


@dataclass
class _Clock:
    """An observer that passes everything on and takes the time of each stage."""

    observer: Observer
    started: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)
    current: tuple[str, float] | None = None

    def stage(self, name: str) -> None:
        """End the stage before and open a new one."""
        self._end()
        self.current = (name, time.perf_counter())
        self.observer.stage(name)

    def _end(self) -> None:
        if self.current:
            name, since = self.current
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - since

    def timing(self) -> dict[str, float]:
        """Seconds by stage so far, and in total."""
        self._end()
        self.current = None
        total = time.perf_counter() - self.started
        return {name: round(seconds, 6) for name, seconds in {**self.seconds, "total": total}.items()}


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
    clock = _Clock(observer)
    clock.stage("read")
    intake = take_in(spec, observer)
    domains, problem = encode(spec, intake, clock)
    bound = bound_loss(spec, domains, problem, clock)
    terms = terms_of(spec, bound, clock)
    result, left_out = settle(spec, intake, domains, problem, cluster(spec, problem, terms, clock), terms)
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


def output_of(spec: Spec) -> Output:
    """Where the release goes; a spec without an output can be checked, but not run."""
    if spec.output is None:
        raise SpecError(Mistake("there is no output", where=str(spec.source), path="output", hint="say --output FILE"))
    return spec.output


def targets_of(spec: Spec) -> tuple[Path, Path]:
    """The files that a run writes: the release and its report."""
    output = output_of(spec)
    return spec.locate(output.path), spec.locate(output.report_path)


def page_of(spec: Spec) -> Path | None:
    """The page that a run makes of its report, if the spec asks for one."""
    html = output_of(spec).html
    return None if html is None else spec.locate(html)


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


def encode(spec: Spec, intake: Intake, clock: _Clock) -> tuple[dict[str, Domain], Problem]:
    """Turn the table into ranks, once it is clear that some release of it can keep the promises."""
    clock.stage("encode")
    domains = build_domains(intake)
    check_feasible(spec, intake)
    warm_up(spec, intake, clock)
    kept = spec.algorithm.counts_kept
    meanings, unit = intake.meanings, intake.unit
    problem = encoding.encode(domains, intake.secrets, spec.measure, spec.models, meanings, unit, kept)
    return domains, replace(problem, silent=silent_columns(spec, domains))


def silent_columns(spec: Spec, domains: Mapping[str, Domain]) -> tuple[int, ...]:
    """The columns whose missing cells say nothing: of bounds there are none, whether a cell is kept or suppressed."""
    if output_of(spec).numeric == "interval":
        return ()
    return tuple(at for at, domain in enumerate(domains.values()) if domain.kind.type == "numeric")


def warm_up(spec: Spec, intake: Intake, clock: _Clock) -> None:
    """Compile the kernels that have never been used on this machine."""
    names = [spec.algorithm.name, warmup.EXACT if spec.measure.by_secret else bounding.NAME]
    if is_breakable(spec, intake):
        names.append(settling.REPAIR)
    if spec.algorithm.keeps == "k" and spec.privacy.most_left_out(intake.rows):
        names.append(settling.SUPPRESSION)
    if any(map(warmup.needed, names)):
        clock.stage("compile")
        compile_all(names)
        clock.stage("encode")


def bound_loss(spec: Spec, domains: Mapping[str, Domain], problem: Problem, clock: _Clock) -> bounding.Bound | None:
    """Work out what any release of the table loses at least; None for measures of which nothing is known."""
    if spec.measure.by_secret:
        return None
    clock.stage("bound")
    if spec.measure.by_rows and not spec.algorithm.counts_kept:
        problem = replace(problem, costs=encoding.price_columns(list(domains.values()), spec.measure, kept=True))
    problem = replace(problem, aim=aiming.bound_aim(problem.aim, spec.models))
    return bounding.lower_bound(problem, spec.seed, sets=[domain.kind.as_set for domain in domains.values()])


def terms_of(spec: Spec, bound: bounding.Bound | None, clock: _Clock) -> Terms:
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


def cluster(spec: Spec, problem: Problem, terms: Terms, clock: _Clock) -> Grouping | Covering:
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


def is_breakable(spec: Spec, intake: Intake) -> bool:
    """Whether a promise may be broken that algorithms keep: its union does not survive, or values are people's."""
    return any(not model.survives_union or (model.about and intake.unit is not None) for model in spec.models)


def settle(
    spec: Spec,
    intake: Intake,
    domains: Mapping[str, Domain],
    problem: Problem,
    result: Grouping | Covering,
    terms: Terms,
) -> tuple[Grouping | Covering, BoolArray]:
    """Make sure of what algorithms can't, and leave rows out if the spec allows it; say which.

    They can't tell people from rows where values are counted, nor see that groups which are released alike are one
    class, or that their boxes cover each other's rows. That matters to promises that two classes can keep and their
    union not.
    """
    breakable = is_breakable(spec, intake)
    most = spec.privacy.most_left_out(intake.rows)
    if isinstance(result, Covering):
        return crowding.settle(spec, intake, problem, result, breakable, most, terms)

    def judge(rows: IntArray, group_of: IntArray) -> BoolArray:
        class_of = group_of
        if breakable:
            part = closing.close(problem.rank_of[:, rows], group_of.astype(np.int32))
            cells = quasi_cells(intake, domains, part, output_of(spec).numeric)
            class_of = group([column.code_of for column in cells.values()], len(rows))
        evidence = evidence_of(intake, class_of, spec.privacy.joint, rows)
        kept: BoolArray = np.all([model.kept(evidence) for model in spec.models], axis=0)
        kept = kept[class_of[np.unique(group_of, return_index=True)[1]]]
        if breakable and spec.privacy.notion != "k":
            is_hidden = crowding.hidden_rows(spec, intake, problem, rows, part.lo[:, group_of], part.hi[:, group_of])
            kept[group_of[~is_hidden[rows]]] = False
        return kept

    found = settling.settle(problem, result.group_of, judge, breakable, most, result.left_out)
    facts = dict(result.facts)
    if found.unified:
        facts["settled"] = found.unified
    if found.left_out.any():
        facts["groups"] = int(found.group_of.max())  # the last one is left out
    return replace(result, group_of=found.group_of, facts=facts), found.left_out


def quasi_cells(
    intake: Intake, domains: Mapping[str, Domain], recoding: closing.Recoding, numeric: Numeric
) -> dict[str, decode.Cells]:
    """The released columns of the quasi-identifiers."""
    cells: dict[str, decode.Cells] = {}
    for at, (name, domain) in enumerate(domains.items()):
        boxes = decode.Boxes(recoding.lo[at], recoding.hi[at], recoding.box_of, recoding.is_closure)
        cells |= decode.release_cells(name, domain, boxes, numeric, intake.columns[name].arrow_type)
    return cells


def write_candidate(
    intake: Intake,
    domains: Mapping[str, Domain],
    problem: Problem,
    result: Grouping | Covering,
    left_out: BoolArray,
    output: Output,
    stage: Stage,
    clock: _Clock,
) -> IntArray:
    """Write the generalized table to the stage; give the original row of each released row."""
    clock.stage("release")
    released = quasi_cells(intake, domains, closing.recode(problem.rank_of, result), output.numeric)
    cells: dict[str, decode.Cells] = {}
    for name, column in intake.columns.items():
        if name in domains:
            names = decode.column_names(name, domains[name].kind.type, output.numeric)
            cells |= {part: released[part] for part in names}
        else:
            cells[name] = decode.release_plain(column)
    order = np.arange(intake.rows)
    if output.order == "sorted":
        order = decode.sorted_order(list(cells.values()))
    order = order[~left_out[order]]
    clock.stage("write")
    typed = not layout_for(stage.release).is_text
    columns = {name: column.as_arrow(order, typed) for name, column in cells.items()}
    write(columns, stage.release_file, stage.release, null_text(intake.layout.null_values))
    stage.sync()
    return order


def examine(spec: Spec, intake: Intake, output: Output, stage: Stage, witness: IntArray, observer: Observer) -> Finding:
    """Read the finished file back as a stranger would and hold it against the promises and the original."""
    null_values = intake.layout.null_values
    names, released = read_release(stage.release_file, stage.release, (*null_values, null_text(null_values)))
    unit_of = None if intake.unit is None else intake.unit.code_of[witness].astype(np.int64)
    subject = Subject(
        released,
        intake.kinds,
        intake.sensitive,
        output.numeric,
        forbidden(spec),
        intake.meanings,
        unit_of,
        spec.privacy.joint,
        output.fairness,
    )
    if sorted(names) != sorted([*subject.quasi_identifiers, *intake.plain]):
        raise UnsafeError(Mistake("the release has other columns than it should", where=str(stage.release)))
    most = spec.privacy.most_left_out(intake.rows)
    original = Original(intake.columns, intake.plain, witness, most_left_out=most)
    for leak in leaks(subject, original):
        if leak.severity != "note":
            observer.warn(f"{leak.rule}: {leak.column}: {leak.what}; {leak.hint}")
    return inspect(subject, spec.models, spec.measure, original)


def check_limits(spec: Spec, finding: Finding) -> None:
    """Refuse a release that loses more than the spec allows."""
    losses = finding.utility.losses if finding.utility else {}
    over = []
    for name, limit in spec.limits.items():
        loss = losses.get(name)
        if loss is None or loss > limit:
            got = "unknown" if loss is None else f"{loss:.6g}"
            over.append(
                Mistake("the release would lose too much", path=f"limits.{name}", expected=f"<= {limit:g}", got=got)
            )
    if over:
        raise LimitError(*over)


def make_report(
    spec: Spec,
    intake: Intake,
    finding: Finding,
    result: Grouping | Covering,
    bound: bounding.Bound | None,
    checksum: str,
    timing: dict[str, float],
) -> Report:
    """Put together what is known about the release."""
    return Report(
        kanon=About(version=VERSION),
        spec=SpecFacts(name=spec.name, sha256=spec.sha256),
        input=FileFacts(path=spec.input.path, rows=intake.rows, sha256=intake.sha256),
        output=FileFacts(path=output_of(spec).path, rows=finding.evidence.rows, sha256=checksum),
        privacy=privacy_block(
            finding,
            promised(spec.models),
            finding.verdicts,
            spec.models,
            before=gather(intake.columns, list(intake.kinds), ()),
        ),
        classes=classes_block(finding),
        suppressed_rows=intake.rows - finding.evidence.rows,
        suppressed=suppressed_block(finding, spec.privacy.most_left_out(intake.rows)),
        utility=utility_block(finding, output_of(spec).fairness) | bound_entries(finding, spec.measure.name, bound),
        attributes=attribute_blocks(finding, intake.kinds),
        algorithm=AlgorithmFacts(
            name=spec.algorithm.name,
            parameters=spec.algorithm.model_dump(),
            seed=None if spec.algorithm.secret_seed else spec.seed,
            measure=spec.measure.name,
            **{**group_facts(result), **result.facts, **search_facts(result)},
        ),
        timing=timing,
        environment=environment(),
    )


def group_facts(result: Grouping | Covering) -> dict[str, int]:
    """How many groups an algorithm has made, if it makes groups."""
    return {"groups": result.groups} if isinstance(result, Grouping) else {}


def search_facts(result: Grouping | Covering) -> dict[str, list[float]]:
    """How the loss fell while an algorithm went on: a few of many losses, the first and the last among them."""
    if not result.losses:
        return {}
    places = np.unique(np.linspace(0, len(result.losses) - 1, SEARCH_LOSSES).round().astype(int))
    return {"losses": [round(result.losses[at], 6) for at in places]}


def environment() -> dict[str, str]:
    """Where and when the release was made, and with what."""
    return {
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        **{name: importlib.metadata.version(name) for name in ("numpy", "numba", "pyarrow")},
    }
