# What the server is told: settings by their names, as variables of its environment.

locals {
  has_app_service = var.host == "app_service"
  host_name = local.has_app_service ? "app-${local.unique}.azurewebsites.net" : join(
    ".", ["ca-${local.stem}", one(azurerm_container_app_environment.main[*].default_domain)]
  )
  tenant = data.azurerm_client_config.current.tenant_id

  # What holds for the server and for whoever runs a command against the same store.
  knowledge_settings = {
    "store"                 = "azure:"
    "azure.cosmos_endpoint" = azurerm_cosmosdb_account.main.endpoint
    "azure.database"        = azurerm_cosmosdb_sql_database.main.name
    "azure.search_endpoint" = "https://${azurerm_search_service.main.name}.search.windows.net"
    "embedder"              = "azure:${azurerm_cognitive_deployment.embedding.name}"
    "llm"                   = "azure:${azurerm_cognitive_deployment.chat.name}"
    "serve.records"         = "azure:"
    "serve.tenant"          = local.tenant
  }

  server_settings = merge(local.knowledge_settings, {
    "serve.doors"           = "rest,mcp,copilotkit,copilotkit-remote,m365"
    "serve.public_url"      = "https://${local.host_name}"
    "serve.auth"            = var.oidc_audience == "" ? "api-key" : "oidc"
    "m365.app_id"           = azurerm_user_assigned_identity.server.client_id
    "m365.tenant_id"        = local.tenant
    "m365.managed_identity" = "true"
    "m365.name"             = var.bot_display_name
    "log.level"             = "info"
    "log.format"            = "json"
    }, var.oidc_audience == "" ? {} : {
    "oidc.issuer"   = "https://login.microsoftonline.com/${local.tenant}/v2.0"
    "oidc.audience" = var.oidc_audience
  }, var.settings)

  knowledge_variables = merge({
    for name, value in local.knowledge_settings : "SEXTANT_${upper(replace(name, ".", "_"))}" => value
    }, {
    AZURE_OPENAI_ENDPOINT = azurerm_cognitive_account.openai.endpoint
    SEXTANT_KEYVAULT      = azurerm_key_vault.main.vault_uri
  })

  server_variables = merge(local.knowledge_variables, {
    for name, value in local.server_settings : "SEXTANT_${upper(replace(name, ".", "_"))}" => value
    }, {
    AZURE_CLIENT_ID = azurerm_user_assigned_identity.server.client_id
    }, {
    for store in azurerm_app_configuration.main : "SEXTANT_APPCONFIG" => store.endpoint
  })
}

resource "azurerm_key_vault" "main" {
  name                       = "kv-${local.unique}"
  resource_group_name        = azurerm_resource_group.main.name
  location                   = azurerm_resource_group.main.location
  tenant_id                  = local.tenant
  sku_name                   = "standard"
  rbac_authorization_enabled = true
  purge_protection_enabled   = true
  soft_delete_retention_days = 7
  tags                       = local.tags
}

resource "azurerm_app_configuration" "main" {
  count = var.with_app_configuration ? 1 : 0

  name                = "appcs-${local.unique}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  sku                 = "standard"
  local_auth_enabled  = false
  tags                = local.tags
}
