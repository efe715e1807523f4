output "url" {
  description = "Where the server answers."
  value       = "https://${local.host_name}"
}

output "messages_endpoint" {
  description = "Where the bot's channels send what people write."
  value       = azurerm_bot_service_azure_bot.main.endpoint
}

output "bot_id" {
  description = "The id of the bot, which the app package for Teams and Copilot names."
  value       = azurerm_user_assigned_identity.server.client_id
}

output "tenant_id" {
  description = "The directory whose people may ask, and the tenant of the store that they ask."
  value       = local.tenant
}

output "resource_group" {
  description = "The group that holds everything."
  value       = azurerm_resource_group.main.name
}

output "app_name" {
  description = "The Container App, or the App Service, that runs the server."
  value       = local.has_app_service ? one(azurerm_linux_web_app.main[*].name) : one(azurerm_container_app.main[*].name)
}

output "registry" {
  description = "The registry that holds the image."
  value       = azurerm_container_registry.main.name
}

output "cosmos_endpoint" {
  description = "The account of Cosmos DB that holds the knowledge."
  value       = azurerm_cosmosdb_account.main.endpoint
}

output "search_endpoint" {
  description = "The search service that holds the index."
  value       = local.knowledge_settings["azure.search_endpoint"]
}

output "openai_endpoint" {
  description = "The account of Azure OpenAI with both deployments."
  value       = azurerm_cognitive_account.openai.endpoint
}

output "key_vault" {
  description = "The vault to which `keyvault:NAME` points."
  value       = azurerm_key_vault.main.name
}

output "application_insights" {
  description = "Where spans can be read."
  value       = azurerm_application_insights.main.name
}

output "shell" {
  description = "Lines for a shell that let `sextant` work on the same store as whoever is signed in with `az login`."
  value       = join("\n", [for name, value in local.knowledge_variables : "export ${name}='${value}'"])
}
