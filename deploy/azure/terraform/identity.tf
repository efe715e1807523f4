# Who the server is, and what it and the people who run it may do. There is no key to lose.

locals {
  cosmos_data_contributor = "${azurerm_cosmosdb_account.main.id}/sqlRoleDefinitions/00000000-0000-0000-0000-000000000002"

  server_roles = merge({
    "Search Index Data Contributor"  = azurerm_search_service.main.id
    "Search Service Contributor"     = azurerm_search_service.main.id
    "Cognitive Services OpenAI User" = azurerm_cognitive_account.openai.id
    "Key Vault Secrets User"         = azurerm_key_vault.main.id
    "AcrPull"                        = azurerm_container_registry.main.id
    }, {
    for store in azurerm_app_configuration.main : "App Configuration Data Reader" => store.id
  })

  operators = setunion(var.operators, [data.azurerm_client_config.current.object_id])

  operator_roles = merge({
    "Search Index Data Contributor"  = azurerm_search_service.main.id
    "Search Service Contributor"     = azurerm_search_service.main.id
    "Cognitive Services OpenAI User" = azurerm_cognitive_account.openai.id
    "Key Vault Secrets Officer"      = azurerm_key_vault.main.id
    }, {
    for store in azurerm_app_configuration.main : "App Configuration Data Owner" => store.id
  })

  operator_assignments = {
    for pair in setproduct(local.operators, keys(local.operator_roles)) :
    "${pair[0]}/${pair[1]}" => { principal = pair[0], role = pair[1] }
  }
}

resource "azurerm_user_assigned_identity" "server" {
  name                = "id-${local.stem}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  tags                = local.tags
}

resource "azurerm_role_assignment" "server" {
  for_each = local.server_roles

  scope                = each.value
  role_definition_name = each.key
  principal_id         = azurerm_user_assigned_identity.server.principal_id
  principal_type       = "ServicePrincipal"
}

resource "azurerm_cosmosdb_sql_role_assignment" "server" {
  resource_group_name = azurerm_resource_group.main.name
  account_name        = azurerm_cosmosdb_account.main.name
  scope               = azurerm_cosmosdb_account.main.id
  role_definition_id  = local.cosmos_data_contributor
  principal_id        = azurerm_user_assigned_identity.server.principal_id
}

resource "azurerm_role_assignment" "operator" {
  for_each = local.operator_assignments

  scope                = local.operator_roles[each.value.role]
  role_definition_name = each.value.role
  principal_id         = each.value.principal
}

resource "azurerm_cosmosdb_sql_role_assignment" "operator" {
  for_each = local.operators

  resource_group_name = azurerm_resource_group.main.name
  account_name        = azurerm_cosmosdb_account.main.name
  scope               = azurerm_cosmosdb_account.main.id
  role_definition_id  = local.cosmos_data_contributor
  principal_id        = each.key
}
