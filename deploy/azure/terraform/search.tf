# The index; `sextant azure init` defines it, as its vector width is that of the embedder.

resource "azurerm_search_service" "main" {
  name                         = "search-${local.unique}"
  resource_group_name          = azurerm_resource_group.main.name
  location                     = azurerm_resource_group.main.location
  sku                          = var.search_sku
  replica_count                = var.search_replicas
  partition_count              = 1
  local_authentication_enabled = false
  tags                         = local.tags
}
