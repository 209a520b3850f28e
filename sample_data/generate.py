"""Makes hospital.csv: the stays of 5,000 patients who never lived, the same bytes on every run."""

import argparse
import csv
import io
import math
import sys
from bisect import bisect
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")

PATIENTS = 5000
SEED = 20250101
FIRST_DAY = date(2025, 1, 1)
DAYS = 730
TARGET = Path(__file__).with_name("hospital.csv")
COLUMNS = "name,ssn,age,sex,zip,birth_date,country,education,admission_date,cost,visit_type,diagnosis"

AGE_BANDS = ((0, 5, 7), (5, 15, 6), (15, 30, 15), (30, 50, 24), (50, 65, 22), (65, 80, 18), (80, 98, 8))
VISIT_TYPES = ("inpatient", "outpatient", "emergency")
COST_FACTOR = {"inpatient": 1.6, "outpatient": 0.25, "emergency": 0.6}


class Diagnosis(NamedTuple):
    """Who gets it, when, how it is treated and what it costs."""

    name: str
    by_age: tuple[float, ...]  # weight in the ages below 5, 15, 30, 45, 65, 80 and above
    female: float  # a factor on it
    male: float
    winter: float  # 0: all year round; 1: hardly in summer
    cost: float  # typical, before the visit type and the age have their say
    visits: tuple[float, float, float]  # weights of VISIT_TYPES


DIAGNOSES = (
    Diagnosis("Hypertension", (0, 0.1, 3, 16, 25, 20, 13), 0.9, 1, 0, 900, (1, 8, 2)),
    Diagnosis("Heart failure", (0, 0.1, 0.2, 1, 5, 10, 16), 0.9, 1, 0.2, 9500, (6, 3, 3)),
    Diagnosis("Stroke", (0, 0, 0.2, 1, 4, 7, 9), 1, 1, 0.1, 13000, (6, 1, 5)),
    Diagnosis("Asthma", (8, 14, 8, 5, 3, 2, 1), 1.1, 1, 0.3, 1300, (1, 5, 4)),
    Diagnosis("Pneumonia", (12, 8, 2, 3, 4, 7, 11), 0.9, 1, 0.7, 6200, (5, 2, 4)),
    Diagnosis("Influenza", (14, 11, 6, 5, 4, 4, 4), 1, 1, 1, 700, (1, 6, 4)),
    Diagnosis("Gastroenteritis", (18, 16, 7, 4, 3, 2, 2), 1, 1, 0.2, 800, (1, 5, 4)),
    Diagnosis("Appendicitis", (1, 6, 7, 3, 1, 0.5, 0.2), 0.8, 1, 0, 8700, (6, 0, 4)),
    Diagnosis("Gallstones", (0, 0.1, 2, 5, 6, 4, 3), 1.8, 1, 0, 7400, (5, 4, 2)),
    Diagnosis("Type 2 diabetes", (0, 0.2, 1.5, 9, 18, 15, 8), 0.8, 1, 0, 1500, (1, 9, 1)),
    Diagnosis("Thyroid disorder", (0.2, 0.5, 2, 5, 5, 4, 2), 3, 1, 0, 950, (1, 9, 0.3)),
    Diagnosis("Migraine", (0, 2, 8, 7, 3, 1, 0.3), 2.4, 1, 0, 750, (0.5, 7, 3)),
    Diagnosis("Dementia", (0, 0, 0, 0, 1, 6, 15), 1.2, 1, 0, 5200, (4, 6, 1)),
    Diagnosis("Depression", (0, 1, 11, 9, 6, 3, 2), 1.6, 1, 0.3, 2100, (2, 8, 1)),
    Diagnosis("Anxiety disorder", (0, 2, 11, 8, 4, 2, 1), 1.7, 1, 0.1, 1100, (1, 8, 2)),
    Diagnosis("Back pain", (0, 0.5, 7, 12, 11, 7, 4), 1, 1, 0, 850, (1, 8, 2)),
    Diagnosis("Osteoarthritis", (0, 0, 0.3, 3, 10, 13, 9), 1.4, 1, 0, 5600, (3, 8, 0.3)),
    Diagnosis("Hip fracture", (0, 0.2, 0.3, 0.5, 1.5, 5, 14), 1.8, 1, 0.3, 17000, (7, 0.5, 4)),
    Diagnosis("Forearm fracture", (8, 13, 5, 3, 3, 3, 3), 1, 1, 0.1, 1900, (1, 3, 7)),
    Diagnosis("Urinary tract infection", (5, 4, 7, 5, 4, 5, 9), 2.5, 1, 0, 900, (1, 6, 3)),
    Diagnosis("Kidney stones", (0, 0.3, 3, 6, 5, 3, 1), 0.6, 1, 0, 4100, (2, 4, 5)),
    Diagnosis("Childbirth", (0, 0, 17, 13, 0, 0, 0), 1, 0, 0, 8900, (9, 0, 1)),
    Diagnosis("Breast cancer", (0, 0, 0.3, 3, 6, 5, 3), 1, 0.02, 0, 14500, (4, 7, 0.2)),
    Diagnosis("Prostate cancer", (0, 0, 0, 0.5, 5, 9, 6), 0, 1, 0, 12500, (4, 7, 0.2)),
    Diagnosis("HIV infection", (0, 0.1, 2, 3, 1.5, 0.5, 0.1), 0.4, 1, 0, 3600, (1, 9, 0.5)),
    Diagnosis("Allergic reaction", (14, 10, 6, 4, 2, 1, 1), 1.1, 1, 0, 650, (0.5, 4, 6)),
)

# fmt: off
HOME = "United States"
# From the most to the least frequent; the number tilts schooling up (above 0) or down.
ABROAD = {
    "Mexico": -0.6, "Haiti": -0.7, "Brazil": -0.1, "Dominican Republic": -0.5, "India": 0.8, "China": 0.6,
    "El Salvador": -0.7, "Vietnam": -0.2, "Cape Verde": -0.5, "Philippines": 0.4, "Canada": 0.5,
    "Portugal": -0.4, "Ireland": 0.3, "United Kingdom": 0.6, "Nigeria": 0.3, "Germany": 0.5, "Colombia": 0.0,
    "South Korea": 0.7, "Italy": 0.1, "Morocco": -0.2, "Ethiopia": -0.4, "Poland": 0.2, "Ukraine": 0.4,
    "Egypt": 0.2, "Iran": 0.6, "Japan": 0.5, "Peru": -0.1, "Kenya": 0.1, "Turkey": 0.2, "Ivory Coast": -0.3,
    "Australia": 0.5, "Fiji": 0.0, "Namibia": 0.1,
}

SCHOOL_STAGES = ((3, "No schooling"), (6, "Preschool"), (12, "Primary school"), (15, "Middle school"))
# Weights at the ages 15-17, 18-24, 25-64 and above.
EDUCATION = {
    "No schooling": (0, 0.2, 0.8, 2), "Primary school": (0, 0.5, 2, 7),
    "Middle school": (6, 2, 3, 9), "Some high school": (88, 10, 6, 9),
    "High school diploma": (6, 30, 24, 28), "Trade certificate": (0, 5, 7, 7),
    "Apprenticeship": (0, 3, 4, 5), "Some college": (0, 32, 14, 10),
    "Associate degree": (0, 7, 9, 5), "Bachelor's degree": (0, 10, 20, 10),
    "Master's degree": (0, 0.8, 8, 5), "Professional degree": (0, 0, 1.6, 1.8),
    "Doctorate": (0, 0, 1.4, 1.2),
}

# The first three digits of a zip: the weight among those born here, among the others, and the number of zips.
DISTRICTS = {
    "021": (26, 40, 40), "024": (13, 12, 20), "019": (9, 6, 16), "018": (8, 9, 18), "017": (8, 4, 16),
    "023": (7, 8, 14), "030": (6, 2, 14), "028": (5, 4, 12), "041": (2, 0.5, 6), "104": (4, 5, 12),
    "112": (4, 6, 12), "120": (3, 1, 8), "191": (2, 1.5, 8), "331": (1, 1.5, 6), "606": (1, 0.7, 6),
    "941": (1, 0.8, 4),
}
# fmt: on

FIRST = ("Al", "Bre", "Cor", "Da", "El", "Fer", "Ha", "Is", "Jo", "Ka", "Lu", "Mar", "No", "Or", "Pe", "Ro", "Sa", "Zo")
FIRST_END = {
    "Female": ("anna", "belle", "dith", "ë", "lina", "mira", "nia", "rise", "tta", "wen"),
    "Male": ("ban", "dric", "gar", "lan", "mon", "nas", "rik", "ston", "vin", "win"),
    "Other": ("ley", "ren", "sky", "van"),
}
LAST = ("Ash", "Bram", "Crow", "Dun", "Ever", "Fal", "Grim", "Hol", "Kest", "Lor", "Mül", "Nor", "O'Quil", "Wex")
LAST_END = ("bourne", "by", "combe", "dale", "field", "gate", "ham", "ley", "man", "rell", "son", "ton", "wick")


def pick(rng: np.random.Generator, items: Sequence[T], weights: Iterable[float]) -> T:
    """Draw one item; only the generator's raw uniform numbers are used, as they stay the same across numpy releases."""
    steps = list(accumulate(weights))
    return items[bisect(steps, rng.random() * steps[-1])]


def choose(rng: np.random.Generator, items: Sequence[T]) -> T:
    """Draw one item, each as likely as the next."""
    return items[int(rng.random() * len(items))]


def blank(rng: np.random.Generator, text: str, share: float) -> str:
    """Lose this share of the values."""
    return "" if rng.random() < share else text


def full_name(rng: np.random.Generator, sex: str) -> str:
    """Glue a name together from syllables."""
    name = f"{choose(rng, FIRST)}{choose(rng, FIRST_END[sex])} {choose(rng, LAST)}{choose(rng, LAST_END)}"
    return f"{name}, Jr." if sex == "Male" and rng.random() < 0.03 else name


def social_number(serial: int) -> str:
    """Give a number from a range that is never issued, area 9xx and group 00; each serial its own."""
    number = (serial * 791_947 + 31_337) % 1_000_000  # the step is coprime to the modulus: no number twice
    return f"{900 + number // 10_000}-00-{number % 10_000:04d}"


def days_of_life(rng: np.random.Generator) -> int:
    """Draw an age in days: many in the middle, a bump of small children, a thinning tail."""
    low, high, _ = pick(rng, AGE_BANDS, (weight for _, _, weight in AGE_BANDS))
    skew = 1.5 if high > 80 else 1.0
    return int(365.25 * (low + (high - low) * rng.random() ** skew))


def diagnose(rng: np.random.Generator, age: float, sex: str) -> Diagnosis:
    """Draw what the patient came with, given age and sex."""
    band = bisect((5, 15, 30, 45, 65, 80), age)
    return pick(rng, DIAGNOSES, (d.by_age[band] * (d.female if sex == "Female" else d.male) for d in DIAGNOSES))


def admission(rng: np.random.Generator, winter: float, visit_type: str) -> date:
    """Draw days until one fits the season; outpatients come from Monday to Friday."""
    while True:
        day = FIRST_DAY + timedelta(days=int(rng.random() * DAYS))
        season = 1 + winter * math.cos(math.tau * day.month / 12)
        if rng.random() * 2 < season and not (visit_type == "outpatient" and day.weekday() >= 5):
            return day


def age_on(birth: date, day: date) -> int:
    """Count the birthdays since birth."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def schooling(rng: np.random.Generator, age: int, tilt: float) -> str:
    """Children are where their age puts them; adults vary with generation and origin."""
    for limit, stage in SCHOOL_STAGES:
        if age < limit:
            return stage
    band = bisect((18, 25, 65), age)
    middle = (len(EDUCATION) - 1) / 2
    tilts = (1 + tilt * (rank - middle) / middle for rank in range(len(EDUCATION)))
    return pick(rng, list(EDUCATION), (w[band] * t for w, t in zip(EDUCATION.values(), tilts, strict=True)))


def zip_code(rng: np.random.Generator, native: bool) -> str:
    """Draw a district, then one of its zips: the first ones are the populous ones."""
    prefix = pick(rng, list(DISTRICTS), (home if native else abroad for home, abroad, _ in DISTRICTS.values()))
    zips = DISTRICTS[prefix][2]
    rank = pick(rng, range(zips), (1 / (r + 2) for r in range(zips)))
    return f"{prefix}{(rank * 37 + 39) % 100:02d}"


def bill(rng: np.random.Generator, diagnosis: Diagnosis, visit_type: str, age: int) -> str:
    """Draw what the stay cost: log-normal around what is typical."""
    typical = diagnosis.cost * COST_FACTOR[visit_type] * (0.8 + age / 150)
    return f"{typical * math.exp(0.45 * NormalDist().inv_cdf(rng.random())):.2f}"


def patient(rng: np.random.Generator, serial: int) -> tuple[str, ...]:
    """Make up one patient, the cells in the order of COLUMNS."""
    days = days_of_life(rng)
    sex = pick(rng, ("Female", "Male", "Other"), (52, 47, 1))
    diagnosis = diagnose(rng, days / 365.25, sex)
    visit_type = pick(rng, VISIT_TYPES, diagnosis.visits)
    admitted = admission(rng, diagnosis.winter, visit_type)
    birth = admitted - timedelta(days=days)
    age = age_on(birth, admitted)
    origins = list(ABROAD)
    native = rng.random() < 0.7
    country = HOME if native else pick(rng, origins, (1 / (rank + 2) for rank in range(len(origins))))
    return (
        full_name(rng, sex),
        social_number(serial),
        str(age),
        sex,
        blank(rng, zip_code(rng, native), 0.004),
        birth.isoformat(),
        blank(rng, country, 0.01),
        blank(rng, schooling(rng, age, ABROAD.get(country, 0.0)), 0.06 if visit_type == "emergency" else 0.02),
        admitted.isoformat(),
        blank(rng, bill(rng, diagnosis, visit_type, age), 0.003),
        visit_type,
        diagnosis.name,
    )


def table() -> bytes:
    """Write the whole table, in the order of admission."""
    rng = np.random.Generator(np.random.PCG64(SEED))
    rows = [patient(rng, serial) for serial in range(PATIENTS)]
    header = COLUMNS.split(",")
    rows.sort(key=itemgetter(header.index("admission_date")))
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def main() -> int:
    """Write the table, or with --check say whether the one on disk is current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit code 1 if they differ")
    made = table()
    if not parser.parse_args().check:
        TARGET.write_bytes(made)
        return 0
    fresh = TARGET.exists() and TARGET.read_bytes() == made
    print(f"{TARGET.name} is {'current' if fresh else 'stale: run python sample_data/generate.py'}")
    return 0 if fresh else 1


if __name__ == "__main__":
    sys.exit(main())
