"""A LangGraph agent over AG-UI and two chains of LangServe, until standard input ends."""

import asyncio
from typing import Annotated, Any

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from langserve import add_routes
from pydantic import BaseModel
from serving import serve
from typing_extensions import TypedDict


class Notes(TypedDict, total=False):
    """What the graph keeps of a thread."""

    messages: Annotated[list[Any], add_messages]
    tools: list[Any]
    found: int
    answer: str


async def search(notes: Notes) -> Any:
    """Call an action of whoever asks, if one is there, or say what was found, as a model does."""
    last = notes["messages"][-1]
    is_answered = isinstance(last, ToolMessage)
    if not is_answered and any(one["name"] == "weather" for one in notes.get("tools", ())):
        made = {"name": "weather", "args": {"city": "Oslo"}, "id": "call-1"}
        return {"messages": [AIMessage("", tool_calls=[made])]}
    said = AIMessage(f"It said {last.content}." if is_answered else "Found three papers.")
    model = GenericFakeChatModel(messages=iter([said]))
    return {"messages": [await model.ainvoke(notes["messages"])], "found": 3}


def review(notes: Notes) -> Any:
    """Ask a person, unless there is something to be called first."""
    if notes["messages"][-1].tool_calls or isinstance(notes["messages"][-2], ToolMessage):
        return {}
    answer = interrupt("Shall I go on?")
    return {"answer": str(answer), "messages": [AIMessage(f"You said {answer}.")]}


class Pair(BaseModel):
    """Two numbers."""

    first: int
    second: int


def shout(text: str) -> str:
    return text.upper()


def add(pair: Any) -> dict[str, int]:
    return {"sum": pair["first"] + pair["second"]}


def fail(text: str) -> str:
    raise ValueError(text)


def _app() -> FastAPI:
    graph = StateGraph(Notes)
    graph.add_node("search", search)
    graph.add_node("review", review)
    graph.add_edge(START, "search")
    graph.add_edge("search", "review")
    app = FastAPI()
    agent = LangGraphAgent(name="notes", graph=graph.compile(checkpointer=MemorySaver()))
    add_langgraph_fastapi_endpoint(app, agent, "/agent")
    add_routes(app, RunnableLambda(shout), path="/shout")
    add_routes(app, RunnableLambda(add).with_types(input_type=Pair), path="/add")
    add_routes(app, RunnableLambda(fail), path="/fail")
    return app


if __name__ == "__main__":
    asyncio.run(serve(_app()))
