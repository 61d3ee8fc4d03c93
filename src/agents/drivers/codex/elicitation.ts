/** Form of an MCP server as questions: only texts and choices can be asked. */
import type { UiRequestBody } from "../../../protocol/index.ts";
import { isRecord } from "../../json-rpc/messages.ts";
import { recordOf, textOf, textsOf, type Fields } from "../../json-rpc/fields.ts";

type Questions = Extract<UiRequestBody, { method: "question" }>["questions"];

/** Null when it has a field that cannot be asked. */
export function elicitForm(params: Fields): Questions | null {
  const mode = textOf(params, "mode");
  if (mode !== "form" && mode !== null) return null;
  const fields = Object.entries(recordOf(recordOf(params, "requestedSchema"), "properties"));
  const questions = fields.map(([id, schema]) => (isRecord(schema) ? questionOf(id, schema) : null));
  const askable = questions.filter((question) => question !== null);
  return askable.length === 0 || askable.length < questions.length ? null : askable;
}

function questionOf(id: string, schema: Fields): Questions[number] | null {
  if (textOf(schema, "type") !== "string") return null;
  const options = textsOf(schema, "enum").map((value) => ({ label: value, value }));
  const text = textOf(schema, "description") ?? textOf(schema, "title") ?? id;
  return { id, text, options, multiple: false, freeText: options.length === 0 };
}
