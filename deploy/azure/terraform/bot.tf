# The registration of the bot: who it is, where it answers, and in which channels.

resource "azurerm_bot_service_azure_bot" "main" {
  name                         = "bot-${local.unique}"
  resource_group_name          = azurerm_resource_group.main.name
  location                     = "global"
  sku                          = var.bot_sku
  display_name                 = var.bot_display_name
  endpoint                     = "https://${local.host_name}/api/messages"
  microsoft_app_type           = "UserAssignedMSI"
  microsoft_app_id             = azurerm_user_assigned_identity.server.client_id
  microsoft_app_msi_id         = azurerm_user_assigned_identity.server.id
  microsoft_app_tenant_id      = azurerm_user_assigned_identity.server.tenant_id
  local_authentication_enabled = false
  tags                         = local.tags
}

resource "azurerm_bot_channel_ms_teams" "main" {
  bot_name            = azurerm_bot_service_azure_bot.main.name
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_bot_service_azure_bot.main.location
}

# Copilot; azurerm has no resource for this channel.
resource "azapi_resource" "microsoft_365_channel" {
  type      = "Microsoft.BotService/botServices/channels@2022-09-15"
  name      = "M365Extensions"
  parent_id = azurerm_bot_service_azure_bot.main.id
  location  = azurerm_bot_service_azure_bot.main.location

  body = {
    properties = {
      channelName = "M365Extensions"
    }
  }
}
