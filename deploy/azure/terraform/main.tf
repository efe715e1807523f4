# The group that holds everything, and how things in it are named.

data "azurerm_client_config" "current" {}

resource "random_string" "suffix" {
  length  = 5
  upper   = false
  special = false
}

locals {
  stem = "${var.name}-${var.environment}"
  # Accounts, vaults and registries share one name space with all of Azure.
  unique = "${local.stem}-${random_string.suffix.result}"

  tags = merge({ application = "sextant", environment = var.environment }, var.tags)
}

resource "azurerm_resource_group" "main" {
  name     = "rg-${local.stem}"
  location = var.region
  tags     = local.tags
}
