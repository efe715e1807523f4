# The truth: knowledge and records, one logical partition for each tenant.

locals {
  # What nobody searches by is not indexed; `sextant azure init` would make the same.
  cosmos_containers = {
    entities  = ["/metadata/*"]
    relations = []
    chunks    = ["/content/?", "/contentVector/*", "/pieces/*", "/document/*"]
    records   = ["/document/*", "/body/?", "/state/?", "/text/?", "/counters/*"]
  }
}

resource "azurerm_cosmosdb_account" "main" {
  name                = "cosmos-${local.unique}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  offer_type          = "Standard"
  kind                = "GlobalDocumentDB"
  minimal_tls_version = "Tls12"
  # Keys open nothing: only identities with a role do.
  local_authentication_disabled = true
  tags                          = local.tags

  # Several replicas read one commit: who sees it has to see all of its items.
  consistency_policy {
    consistency_level = "Strong"
  }

  geo_location {
    location          = azurerm_resource_group.main.location
    failover_priority = 0
  }

  backup {
    type = "Continuous"
    tier = "Continuous7Days"
  }

  dynamic "capabilities" {
    for_each = var.cosmos_capacity == "serverless" ? ["EnableServerless"] : []
    content {
      name = capabilities.value
    }
  }
}

resource "azurerm_cosmosdb_sql_database" "main" {
  name                = "graphrag"
  resource_group_name = azurerm_resource_group.main.name
  account_name        = azurerm_cosmosdb_account.main.name

  dynamic "autoscale_settings" {
    for_each = var.cosmos_capacity == "autoscale" ? [var.cosmos_max_throughput] : []
    content {
      max_throughput = autoscale_settings.value
    }
  }
}

resource "azurerm_cosmosdb_sql_container" "main" {
  for_each = local.cosmos_containers

  name                  = each.key
  resource_group_name   = azurerm_resource_group.main.name
  account_name          = azurerm_cosmosdb_account.main.name
  database_name         = azurerm_cosmosdb_sql_database.main.name
  partition_key_paths   = ["/tenant"]
  partition_key_version = 2

  indexing_policy {
    indexing_mode = "consistent"

    included_path {
      path = "/*"
    }

    dynamic "excluded_path" {
      for_each = each.value
      content {
        path = excluded_path.value
      }
    }
  }
}
