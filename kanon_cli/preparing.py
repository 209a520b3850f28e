"""A table to a problem for the algorithm, and what any release of it loses at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kanon_cli import aiming, bounding, encoding, settling, warmup
from kanon_cli.clock import Clock
from kanon_cli.compiling import compile_all, kernels_of
from kanon_cli.feasibility import check_feasible, is_breakable
from kanon_cli.intake import Intake, build_domains
from kanon_cli.models.base import Model, SecretModel
from kanon_cli.problem import Problem
from kanon_cli.spec.model import Spec
from kanon_cli.spec.targets import output_of
from kanon_cli.tables.domains import Domain

PARTED_BY = "k-member"  # the kernels that part groups which promises of nearness to the table have kept large


def encode(spec: Spec, intake: Intake, clock: Clock) -> tuple[dict[str, Domain], Problem]:
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


def warm_up(spec: Spec, intake: Intake, clock: Clock) -> None:
    """Compile the kernels that have never been used on this machine."""
    names = [*kernels_of(spec.algorithm.name, spec.models), warmup.EXACT if spec.measure.by_secret else bounding.NAME]
    if is_breakable(spec, intake):
        names.append(settling.REPAIR)
    if is_parted(spec):
        names.append(PARTED_BY)
    if spec.algorithm.keeps == "k" and spec.privacy.most_left_out(intake.rows):
        names.append(settling.SUPPRESSION)
    if any(map(warmup.needed, names)):
        clock.stage("compile")
        compile_all(tuple(dict.fromkeys(names)))
        clock.stage("encode")


def is_parted(spec: Spec) -> bool:
    """Whether large groups are clustered anew, as a promise compares their values with those of the table."""
    compares = any(isinstance(model, SecretModel) and model.is_compared for model in spec.models)
    return compares and spec.algorithm.keeps == "k" and not spec.algorithm.anytime


def bound_loss(spec: Spec, domains: Mapping[str, Domain], problem: Problem, clock: Clock) -> bounding.Bound | None:
    """Work out what any release of the table loses at least; None for measures of which nothing is known."""
    if spec.measure.by_secret:
        return None
    clock.stage("bound")
    if spec.measure.by_rows and not spec.algorithm.counts_kept:
        problem = replace(problem, costs=encoding.price_columns(list(domains.values()), spec.measure, kept=True))
    return lower_bound(problem, domains, spec.models, spec.seed)


def lower_bound(problem: Problem, domains: Mapping[str, Domain], models: Sequence[Model], seed: int) -> bounding.Bound:
    """What any release of a problem loses at least that keeps these promises."""
    problem = replace(problem, aim=aiming.bound_aim(problem.aim, models))
    return bounding.lower_bound(problem, seed, sets=[domain.kind.as_set for domain in domains.values()])
