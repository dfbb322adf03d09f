"""The JSON Schema of a Process as a person writes it in YAML, for editors. Made from the models."""

from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.processes.model import NewProcess

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_BY_NAME: Final = "its name; the id of one that another user owns"


def document_schema() -> JsonObject:
    """Return the schema of one YAML document of the kind Process.

    It differs from the stored form: the document has a kind, names what steps call, and may give the variable of a
    step's output alone.
    """
    schema = NewProcess.model_json_schema(by_alias=True)
    step = schema["$defs"]["ProcessStep"]["properties"]
    variable = schema["$defs"]["StepOutput"]["properties"]["variable"]
    output = {"$ref": step["output"].pop("$ref")}
    step["output"]["anyOf"] = [variable, output]
    schema["$defs"]["Reminder"]["properties"]["process"]["description"] = f"the process that it starts: {_BY_NAME}"
    for call in (step, schema["$defs"]["Compensation"]["properties"]):
        call["tool"]["description"] = f"the tool that it calls: {_BY_NAME}"
        call["process"]["description"] = f"the process that it calls: {_BY_NAME}"
        call["skill"] = {
            "type": "string",
            "pattern": "^[^/]+/.+$",
            "description": "the script of a skill that it runs, as mailer/send, by a tool of that name",
        }
        call["agent"] = {"const": "request", "description": "the text `request` of its inputs is a request to Aeon"}
    kind = {"const": "Process", "description": "the kind of this document"}
    return {
        "$schema": DIALECT,
        **schema,
        "title": "Process",
        "description": "A Process: steps that call tools and other Processes.",
        "properties": {"kind": kind, **schema["properties"]},
        "required": ["kind", *schema["required"]],
    }
