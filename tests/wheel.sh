#!/bin/sh
# Build the wheel, install it into an empty venv, and use the kanon that is there, away from the checkout.
set -eu
python=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m build --wheel --no-isolation --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
rm -rf build kanon_cli.egg-info/SOURCES.txt.tmp
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --constraint constraints.txt "$work"/dist/*.whl
cp -r configs hierarchies sample_data "$work"
cd "$work"
HOME=$work/home "$work/venv/bin/kanon" --version
HOME=$work/home "$work/venv/bin/kanon" run --quiet configs/quickstart.yaml
HOME=$work/home "$work/venv/bin/kanon" audit out/hospital.csv --spec configs/quickstart.yaml --require k=10,l=2 >/dev/null
echo "wheel: 1 passed, 0 failed"
