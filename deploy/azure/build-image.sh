#!/usr/bin/env bash
# Builds the image of this checkout in a registry of Azure: build-image.sh SUBSCRIPTION REGISTRY TAG
set -euo pipefail

[ "$#" -eq 3 ] || { echo "usage: $(basename "$0") SUBSCRIPTION REGISTRY TAG" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

# The registry reads no Dockerfile.dockerignore and would be sent everything, so what it lets
# through is copied first.
sed -n 's/^!//p' "$root/deploy/Dockerfile.dockerignore" |
    tar --create --directory "$root" --exclude=__pycache__ --files-from=- deploy/Dockerfile |
    tar --extract --directory "$context"
az acr build --subscription "$1" --registry "$2" --image "sextant:$3" \
    --file "$context/deploy/Dockerfile" "$context"
