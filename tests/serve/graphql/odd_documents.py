"""Documents that any client may write, and none of CopilotKit's does."""

from __future__ import annotations

_HEAD = """
mutation m($data: GenerateCopilotResponseInput!, $no: Boolean = false, $yes: Boolean = true) {
  g: generateCopilotResponse(data: $data)
"""
_FIELDS = """{
  threadId @include(if: $yes) runId @skip(if: $no) extensions @skip(if: $yes) { __typename }
} __typename }
"""
_WHOLE = """{
  status { __typename } messages { id status { __typename } } s: __typename
} x: __typename @include(if: $no) @skip(if: $yes) y: __typename @include(if: $yes) }
"""
_LATE = """{
  status @include(if: $yes) { ... on BaseResponseStatus { code } }
  messages @stream(label: "m") {
    id @skip(if: $no) ... on TextMessageOutput { content }
    ... on ActionExecutionMessageOutput { arguments @stream }
  }
} }
"""
_TWICE = """{
  a: messages @stream {
    id ... on BaseMessageOutput @defer(if: $no) { status { ... on SuccessMessageStatus { code } } }
  }
  b: messages @stream(if: $yes) {
    __typename
    ... on TextMessageOutput { one: content @stream two: content @stream(initialCount: 1) }
    ... on ActionExecutionMessageOutput { arguments @stream(label: "a") again: arguments @stream }
  }
} }
"""
_FRAGMENTS = """{
  ...late @defer(label: "late") ...now @defer(if: $yes) ...now
  messages @stream(if: $no) { ...message @defer }
} }
fragment late on CopilotResponse {
  status { ... on FailedResponseStatus { reason details } }
  all: messages { id } metaEvents @stream { name }
}
fragment now on CopilotResponse {
  threadId r: runId extensions { openaiAssistantAPI { runId } }
}
fragment message on BaseMessageOutput { id createdAt ...text }
fragment text on TextMessageOutput {
  content role status { ... on FailedMessageStatus { reason } }
}
"""
_DEFERRED = """{
  messages @stream {
    ... on AgentStateMessageOutput @defer { state nodeName }
    ... @defer(label: "s") { status { __typename } id }
    ... on ResultMessageOutput { result }
  }
  metaEvents @stream(label: "e") @include(if: $yes) @skip(if: $no) {
    ... @defer { type }
    ... on LangGraphInterruptEvent { value }
    ... on CopilotKitLangGraphInterruptEvent { data { messages { id } value } }
  }
} }
"""
ODD_DOCUMENTS = [_HEAD + rest for rest in (_FIELDS, _WHOLE, _LATE, _TWICE, _FRAGMENTS, _DEFERRED)]
