variable "subscription_id" {
  description = "The subscription in which everything is made."
  type        = string
}

variable "environment" {
  description = "Which of several installations this is, such as dev or prod; a part of every name."
  type        = string
  default     = "dev"

  validation {
    condition     = can(regex("^[a-z][a-z0-9]{1,3}$", var.environment))
    error_message = "Use two to four small letters and digits, such as dev."
  }
}

variable "region" {
  description = "The Azure region; it must offer the models of Azure OpenAI that are chosen."
  type        = string
  default     = "swedencentral"
}

variable "name" {
  description = "What the installation is called; a part of every name."
  type        = string
  default     = "graphrag"

  # The name of a key vault has 24 characters, of which the rest is the environment and a suffix.
  validation {
    condition     = can(regex("^[a-z][a-z0-9]{2,9}$", var.name))
    error_message = "Use three to ten small letters and digits, such as graphrag."
  }
}

variable "tags" {
  description = "Tags for every resource, beside application and environment."
  type        = map(string)
  default     = {}
}

variable "operators" {
  description = "Object ids of the people who may read and write the knowledge, beside whoever applies this."
  type        = set(string)
  default     = []
}

variable "host" {
  description = "What runs the server: container_app or app_service."
  type        = string
  default     = "container_app"

  validation {
    condition     = contains(["container_app", "app_service"], var.host)
    error_message = "Use container_app or app_service."
  }
}

variable "image" {
  description = "An image that exists, as in myregistry.azurecr.io/sextant:0.1.0; when empty, this checkout is built in the registry."
  type        = string
  default     = ""
}

variable "image_tag" {
  description = "The tag under which this checkout is built in the registry."
  type        = string
  default     = "0.1.0"
}

variable "min_replicas" {
  description = "How many replicas run at least; a bot that has to start first is too slow for its channel."
  type        = number
  default     = 1

  validation {
    condition     = var.min_replicas >= 1
    error_message = "Run at least one."
  }
}

variable "max_replicas" {
  description = "How many replicas run at most."
  type        = number
  default     = 10

  validation {
    condition     = var.max_replicas >= 1 && var.max_replicas <= 30
    error_message = "Use 1 to 30: a plan of the App Service takes no more."
  }
}

variable "replica_cpu" {
  description = "Cores of one replica in Container Apps; it gets twice as many GiB of memory."
  type        = number
  default     = 1
}

variable "concurrent_requests" {
  description = "Requests under way in one replica of Container Apps before another one is started."
  type        = number
  default     = 20
}

variable "app_service_sku" {
  description = "The size of an instance of the App Service."
  type        = string
  default     = "P0v3"
}

variable "cosmos_capacity" {
  description = "How Cosmos DB is paid: serverless by what is used, autoscale between a tenth and a maximum."
  type        = string
  default     = "serverless"

  validation {
    condition     = contains(["serverless", "autoscale"], var.cosmos_capacity)
    error_message = "Use serverless or autoscale."
  }
}

variable "cosmos_max_throughput" {
  description = "With autoscale: request units per second at most, for all containers together."
  type        = number
  default     = 4000
}

variable "search_sku" {
  description = "The size of the search service: basic, standard, standard2 or standard3."
  type        = string
  default     = "basic"
}

variable "search_replicas" {
  description = "Copies of the search index; two keep reading, three keep writing while one is replaced."
  type        = number
  default     = 1
}

variable "chat_model" {
  description = "The model that writes, and the name of its deployment; without a version, the region's default."
  type = object({
    name     = string
    version  = optional(string)
    sku      = optional(string, "GlobalStandard")
    capacity = optional(number, 50)
  })
  default = { name = "gpt-5.2" }
}

variable "embedding_model" {
  description = "The model that makes vectors, and the name of its deployment; the index must be filled anew after a change."
  type = object({
    name     = string
    version  = optional(string)
    sku      = optional(string, "GlobalStandard")
    capacity = optional(number, 100)
  })
  default = { name = "text-embedding-3-small" }
}

variable "oidc_audience" {
  description = "The Entra application whose tokens open REST and MCP, as in api://ID; when empty, keys of `sextant keys` do."
  type        = string
  default     = ""
}

variable "bot_display_name" {
  description = "What people see as the name of the bot."
  type        = string
  default     = "Sextant"
}

variable "bot_sku" {
  description = "F0 is free for the standard channels, Teams among them; S1 has a promise of service."
  type        = string
  default     = "F0"
}

variable "with_app_configuration" {
  description = "Whether to make an App Configuration store from which settings are read too."
  type        = bool
  default     = false
}

variable "log_retention_days" {
  description = "For how many days logs and telemetry are kept."
  type        = number
  default     = 30
}

variable "settings" {
  description = "Further settings by name, as `sextant config` lists them; they win over those made here."
  type        = map(string)
  default     = {}
}
