/** Form of an MCP server as questions: only texts and choices can be asked. */
import type { UiRequestBody } from "../../../protocol/index.ts";
import { isRecord } from "../../json-rpc/messages.ts";
import { recordOf, textOf, textsOf, type Fields } from "../../json-rpc/fields.ts";

type Questions = Extract<UiRequestBody, { method: "question" }>["questions"];

/** Undefined when it has a field that cannot be asked. */
export function elicitForm(params: Fields): Questions | undefined {
  const mode = textOf(params, "mode");
  if (mode !== "form" && mode !== undefined) return undefined;
  const fields = Object.entries(recordOf(recordOf(params, "requestedSchema"), "properties"));
  const questions = fields.map(([id, schema]) => (isRecord(schema) ? questionOf(id, schema) : undefined));
  const askable = questions.filter((question) => question !== undefined);
  return askable.length === 0 || askable.length < questions.length ? undefined : askable;
}

function questionOf(id: string, schema: Fields): Questions[number] | undefined {
  if (textOf(schema, "type") !== "string") return undefined;
  const options = textsOf(schema, "enum").map((value) => ({ label: value, value }));
  const text = textOf(schema, "description") ?? textOf(schema, "title") ?? id;
  return { id, text, options, multiple: false, freeText: options.length === 0 };
}
