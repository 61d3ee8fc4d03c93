/** Kind of a user line: a prompt, a command of the program, its output, or an interruption. */
import { type ExternalImage } from "../../../src/host/index.ts";
import { fieldsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

export type UserEntry =
  | { readonly kind: "prompt"; readonly text: string; readonly images: readonly ExternalImage[] }
  | { readonly kind: "stopped" }
  | { readonly kind: "told"; readonly text: string }
  | { readonly kind: "nothing" };

const STOPPED = /^\[Request interrupted by user(?: for tool use)?\]$/;
const OUTPUT_TAGS = ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"];
const SUMMARY = "summary";
const NOTIFICATION = "task-notification";

/** `blocks` without the results of tools. */
export function parseUserEntry(blocks: readonly Fields[]): UserEntry {
  const images = blocks.flatMap(imageOf);
  const text = blocks
    .filter((block) => block["type"] === "text")
    .map((block) => textOf(block["text"]) ?? "")
    .join("\n");
  if (STOPPED.test(text.trim())) return { kind: "stopped" };
  if (images.length === 0 && text.trim() === "") return { kind: "nothing" };
  const command = commandOf(text);
  if (command !== undefined) return { kind: "prompt", text: command, images };
  const output = programOutput(text);
  if (output !== undefined) return output === "" ? { kind: "nothing" } : { kind: "told", text: output };
  return { kind: "prompt", text, images };
}

/** A slash command or a shell command as it was typed. */
function commandOf(text: string): string | undefined {
  const name = tagged(text, "command-name");
  if (name !== undefined) return `${name} ${tagged(text, "command-args") ?? ""}`.trim();
  const shell = text.startsWith("<bash-input>") ? tagged(text, "bash-input") : undefined;
  return shell === undefined ? undefined : `!${shell}`;
}

/** Text inserted by the program; undefined when the user wrote it. */
function programOutput(text: string): string | undefined {
  const begins = text.trimStart();
  if (begins.startsWith(`<${NOTIFICATION}>`)) return tagged(text, SUMMARY) ?? "A background task has ended.";
  if (!OUTPUT_TAGS.some((tag) => begins.startsWith(`<${tag}>`))) return undefined;
  return OUTPUT_TAGS.flatMap((tag) => tagged(text, tag) ?? [])
    .join("\n")
    .trim();
}

function tagged(text: string, tag: string): string | undefined {
  const from = text.indexOf(`<${tag}>`);
  const to = text.indexOf(`</${tag}>`, from);
  return from === -1 || to === -1 ? undefined : text.slice(from + tag.length + 2, to).trim();
}

function imageOf(block: Fields): ExternalImage[] {
  if (block["type"] !== "image") return [];
  const source = fieldsOf(block["source"]);
  const base64 = textOf(source?.["data"]);
  return base64 === undefined ? [] : [{ mime: textOf(source?.["media_type"]) ?? "application/octet-stream", base64 }];
}

/** Text of a tool result; other content is named. */
export function resultText(content: unknown): string {
  if (typeof content === "string") return content.toWellFormed();
  const parts = Array.isArray(content) ? content : [];
  return parts
    .map((part) => textOf(fieldsOf(part)?.["text"]) ?? `[${textOf(fieldsOf(part)?.["type"]) ?? "something"}]`)
    .join("\n");
}
