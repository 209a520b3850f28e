"""Non-homogeneous generalization: rings with a random assignment."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from kanon_cli.algorithms.base import Algorithm, Covering, Terms
from kanon_cli.algorithms.mondrian import Mondrian
from kanon_cli.problem import Problem


class Nonhomogeneous(Algorithm):
    """Puts the records of a block in a ring, and releases the closures of windows of k neighbours, turned at random.

    Mondrian cuts the table into blocks, and in each every row is followed by the nearest one that is left. The closures
    of windows of k neighbours are handed to the rows with a random shift, so that each of the k boxes that were made to
    cover a row is its own with the same chance, for who does not know the seed.

    Details: blocks have `block` times k rows or more. The shift is from 0 to k - 1 and drawn for each block, from the
    seed of the spec. Whoever knows the quasi-identifiers of all people and has the spec with its `seed` can do the run
    again, and then knows each person's own box: the `seed` has to be one that nobody can guess or find by trying,
    and the spec a secret. The report leaves the seed out, and a run with the default warns.
    Guarantee: the notion `global-(1,k)`. A window covers its k rows, each row is in k windows, and each of the k shifts
    gives every row a box that covers it, which makes k perfect matchings without a pair in common. The notion counts
    what is possible; that it is as likely, too, rests on a secret seed. A promise about sensitive values is kept for
    the matches of each record: boxes grow until they do; where that takes too much, or people are counted and a window
    has too few of them, the groups of `lns` are released.
    Cost: O(r n (block k + log^2 n)) time, O(r n) memory.
    Choose: to compare with the papers that have it, or for a quick release with the notion `global-(1,k)`; `global-1k`
    loses less.
    Source: Wong, Mamoulis and Cheung 2010; the baseline NH of He et al. 2012.
    Departs: one shift turns a whole block, so whoever knows one person's row of a block knows the others', too; the
    paper draws matchings that hide more. Rows follow each other by price (the paper: by a sort).
    """

    name: ClassVar[str] = "nonhomogeneous"
    keeps: ClassVar[str] = "global-(1,k)"
    randomized: ClassVar[bool] = True
    shardable: ClassVar[bool] = False
    secret_seed: ClassVar[bool] = True
    memory: ClassVar[str] = "O(r n)"

    block: int = Field(default=1, ge=1, description="rows of a block at the least, in k")

    def recode(self, problem: Problem, terms: Terms) -> Covering:
        """Cut, put in rings, turn."""
        from kanon_cli.algorithms import recordwise
        from kanon_cli.kernels import rings

        k = problem.aim.k
        roomy = problem.aim._replace(k=min(self.block * k, problem.rows))
        blocks = Mondrian().partition(replace(problem, aim=roomy), terms)
        order = np.argsort(blocks.group_of, kind="stable")
        starts = np.searchsorted(blocks.group_of[order], np.arange(blocks.groups + 1))
        bench = recordwise.lay_out(problem)
        rings.chain(order, starts, problem.rank_of, bench.rates)
        shift = np.random.default_rng(terms.seed).integers(0, k, blocks.groups)
        lo, hi = np.empty_like(problem.rank_of), np.empty_like(problem.rank_of)
        rings.turn_rings(order, starts, shift, problem.rank_of, k, lo, hi)
        boxes, grown = recordwise.enclose(bench, lo, hi), 0
        if recordwise.lacks_people(bench, boxes):
            return recordwise.release_groups(problem, terms)
        if bench.is_guarded:
            upgraded = recordwise.upgrade(bench, boxes, terms)
            if upgraded is None:
                return recordwise.release_groups(problem, terms)
            grown = upgraded[1]
        return recordwise.release(boxes, blocks=blocks.groups, grown=grown)
