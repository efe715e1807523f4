#!/usr/bin/env bash
# Makes everything that Sextant needs on Azure: deploy.sh ENV REGION NAME
# Further arguments go to `terraform plan`, as in: deploy.sh prod westeurope graphrag -var host=app_service
set -euo pipefail

usage() {
    echo "usage: $(basename "$0") ENV REGION NAME [argument of terraform plan ...]" >&2
    echo "   as in: $(basename "$0") dev swedencentral graphrag" >&2
    exit 2
}

require() {
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "error: $1 is not installed. Install $2." >&2
        exit 1
    fi
}

[ "$#" -ge 3 ] || usage
environment=$1 region=$2 name=$3
shift 3
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/terraform" && pwd)

require az "the Azure CLI"
require terraform "Terraform 1.9 or newer"
if ! subscription=$(az account show --query id --output tsv 2>/dev/null); then
    echo "error: nobody is signed in to Azure. Run: az login" >&2
    exit 1
fi
echo "Subscription $subscription, region $region, name $name-$environment."

# Each installation has a state of its own, in this folder unless a backend is configured.
terraform -chdir="$folder" init -input=false
terraform -chdir="$folder" workspace select -or-create "$name-$environment"

plan=$(mktemp)
trap 'rm -f "$plan"' EXIT
terraform -chdir="$folder" plan -input=false -out="$plan" \
    -var "subscription_id=$subscription" -var "environment=$environment" \
    -var "region=$region" -var "name=$name" "$@"

if [ "${AUTO_APPROVE:-}" != 1 ]; then
    read -r -p "Apply this plan? [y/N] " answer
    if [ "$answer" != y ] && [ "$answer" != Y ]; then
        echo "Nothing was changed."
        exit 1
    fi
fi
terraform -chdir="$folder" apply -input=false "$plan"

cat <<STEPS

It runs at $(terraform -chdir="$folder" output -raw url). Next:
  eval "\$(terraform -chdir='$folder' output -raw shell)"    # this shell now works on the same store
  sextant azure init                                        # defines the search index
  sextant azure check                                       # says what is reachable, and as whom
  sextant ingest DOCS --tenant $(terraform -chdir="$folder" output -raw tenant_id)
  sextant m365 package --out app.zip --app-id $(terraform -chdir="$folder" output -raw bot_id) --url $(terraform -chdir="$folder" output -raw url)
Then upload app.zip to Teams. deploy/azure/README.md explains each step.
STEPS
