# The image, and what runs it: Container Apps, or the App Service.

locals {
  port  = 8787
  image = var.image == "" ? "${azurerm_container_registry.main.login_server}/sextant:${var.image_tag}" : var.image
}

resource "azurerm_container_registry" "main" {
  name                = "cr${replace(local.unique, "-", "")}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  sku                 = "Basic"
  admin_enabled       = false
  tags                = local.tags
}

# Built in the registry itself, so that nobody here needs Docker.
resource "terraform_data" "image" {
  count = var.image == "" ? 1 : 0

  triggers_replace = [azurerm_container_registry.main.id, var.image_tag]

  provisioner "local-exec" {
    command = "'${path.module}/../build-image.sh' '${var.subscription_id}' '${azurerm_container_registry.main.name}' '${var.image_tag}'"
  }
}

resource "azurerm_container_app_environment" "main" {
  count = local.has_app_service ? 0 : 1

  name                       = "cae-${local.stem}"
  resource_group_name        = azurerm_resource_group.main.name
  location                   = azurerm_resource_group.main.location
  logs_destination           = "log-analytics"
  log_analytics_workspace_id = azurerm_log_analytics_workspace.main.id
  tags                       = local.tags
}

resource "azurerm_container_app" "main" {
  count = local.has_app_service ? 0 : 1

  name                         = "ca-${local.stem}"
  resource_group_name          = azurerm_resource_group.main.name
  container_app_environment_id = one(azurerm_container_app_environment.main[*].id)
  revision_mode                = "Single"
  tags                         = local.tags

  identity {
    type         = "UserAssigned"
    identity_ids = [azurerm_user_assigned_identity.server.id]
  }

  registry {
    server   = azurerm_container_registry.main.login_server
    identity = azurerm_user_assigned_identity.server.id
  }

  secret {
    name  = "application-insights"
    value = azurerm_application_insights.main.connection_string
  }

  ingress {
    external_enabled = true
    target_port      = local.port
    transport        = "http"

    traffic_weight {
      latest_revision = true
      percentage      = 100
    }
  }

  template {
    min_replicas = var.min_replicas
    max_replicas = var.max_replicas

    http_scale_rule {
      name                = "requests"
      concurrent_requests = tostring(var.concurrent_requests)
    }

    container {
      name   = "sextant"
      image  = local.image
      cpu    = var.replica_cpu
      memory = "${var.replica_cpu * 2}Gi"

      dynamic "env" {
        for_each = local.server_variables
        content {
          name  = env.key
          value = env.value
        }
      }

      env {
        name        = "APPLICATIONINSIGHTS_CONNECTION_STRING"
        secret_name = "application-insights"
      }

      startup_probe {
        transport               = "HTTP"
        port                    = local.port
        path                    = "/ready"
        interval_seconds        = 10
        timeout                 = 6
        failure_count_threshold = 10
      }

      readiness_probe {
        transport               = "HTTP"
        port                    = local.port
        path                    = "/ready"
        interval_seconds        = 10
        timeout                 = 6
        failure_count_threshold = 2
        success_count_threshold = 1
      }

      liveness_probe {
        transport               = "HTTP"
        port                    = local.port
        path                    = "/health"
        interval_seconds        = 10
        timeout                 = 5
        failure_count_threshold = 6
      }
    }
  }

  depends_on = [
    azurerm_cosmosdb_sql_container.main,
    azurerm_cosmosdb_sql_role_assignment.server,
    azurerm_role_assignment.server,
    terraform_data.image,
  ]
}

resource "azurerm_service_plan" "main" {
  count = local.has_app_service ? 1 : 0

  name                = "asp-${local.stem}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  os_type             = "Linux"
  sku_name            = var.app_service_sku
  tags                = local.tags
}

resource "azurerm_linux_web_app" "main" {
  count = local.has_app_service ? 1 : 0

  name                            = "app-${local.unique}"
  resource_group_name             = azurerm_resource_group.main.name
  location                        = azurerm_resource_group.main.location
  service_plan_id                 = one(azurerm_service_plan.main[*].id)
  https_only                      = true
  client_affinity_enabled         = true # a stream that is read again is in the instance that began it
  key_vault_reference_identity_id = azurerm_user_assigned_identity.server.id
  tags                            = local.tags

  app_settings = merge(local.server_variables, {
    APPLICATIONINSIGHTS_CONNECTION_STRING = azurerm_application_insights.main.connection_string
    WEBSITES_PORT                         = tostring(local.port)
  })

  identity {
    type         = "UserAssigned"
    identity_ids = [azurerm_user_assigned_identity.server.id]
  }

  site_config {
    always_on                                     = true
    ftps_state                                    = "Disabled"
    health_check_path                             = "/ready"
    health_check_eviction_time_in_min             = 2
    container_registry_use_managed_identity       = true
    container_registry_managed_identity_client_id = azurerm_user_assigned_identity.server.client_id

    application_stack {
      docker_registry_url = "https://${split("/", local.image)[0]}"
      docker_image_name   = join("/", slice(split("/", local.image), 1, length(split("/", local.image))))
    }
  }

  depends_on = [
    azurerm_cosmosdb_sql_container.main,
    azurerm_cosmosdb_sql_role_assignment.server,
    azurerm_role_assignment.server,
    terraform_data.image,
  ]
}

resource "azurerm_monitor_autoscale_setting" "main" {
  count = local.has_app_service ? 1 : 0

  name                = "scale-${local.stem}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  target_resource_id  = one(azurerm_service_plan.main[*].id)
  tags                = local.tags

  profile {
    name = "processor"

    capacity {
      default = var.min_replicas
      minimum = var.min_replicas
      maximum = var.max_replicas
    }

    dynamic "rule" {
      # A wide gap between the two, so that one does not undo what the other did.
      for_each = {
        Increase = { operator = "GreaterThan", percent = 70 }
        Decrease = { operator = "LessThan", percent = 30 }
      }
      content {
        metric_trigger {
          metric_name        = "CpuPercentage"
          metric_resource_id = one(azurerm_service_plan.main[*].id)
          time_grain         = "PT1M"
          statistic          = "Average"
          time_window        = "PT5M"
          time_aggregation   = "Average"
          operator           = rule.value.operator
          threshold          = rule.value.percent
        }

        scale_action {
          direction = rule.key
          type      = "ChangeCount"
          value     = "1"
          cooldown  = "PT5M"
        }
      }
    }
  }
}
