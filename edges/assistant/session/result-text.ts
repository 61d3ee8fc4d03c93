/** What assistant's chat panel shows of a tool's result: the words in it where it has a form that the panel knows. */
import { jsonText } from "../../../src/host/index.ts";
import { fieldsOf, textOf } from "../../../src/kit/fields.ts";

export function resultText(result: unknown): string {
  return result === undefined || result === null ? "" : (outputText(result) ?? jsonText(result));
}

/** A failure says why, and then what the tool had to say. */
export function failureText(message: string | undefined, result: unknown): string {
  if (message === undefined) return resultText(result);
  const output = (outputText(result) ?? "").trimEnd();
  return message.includes(output) ? message : `${message}\n${output}`;
}

/** A program gives texts or parts with a text, a shell its output, another agent its response. */
function outputText(result: unknown): string | undefined {
  if (typeof result === "string") return textOf(result);
  const parts = Array.isArray(result) ? result.map((part) => textOf(fieldsOf(part)?.["text"])) : [];
  if (parts.length > 0 && parts.every((part) => part !== undefined)) return parts.join("\n");
  const fields = fieldsOf(result);
  return textOf(fields?.["output"]) ?? textOf(fields?.["response"]);
}
