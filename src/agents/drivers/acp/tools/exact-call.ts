/**
 * The call that an agent asks leave for as one text: what is shown, hashed and judged. Pure.
 * Promise: what the agent tells of the call and what could make it another one is not left out.
 */
import { commandCall } from "../../../approvals/call-fields.ts";
import { BESIDE_COMMAND } from "../../../../protocol/index.ts";
import { fieldsOf, recordsOf, textOf, textsOf, type Fields } from "../../../json-rpc/fields.ts";
import { isRecord } from "../../../json-rpc/messages.ts";
import { contentText, diffOf, type ToolFacts } from "./facts.ts";

/** `call` is what the request itself says of it, `cwd` the directory of the session. */
export function exactCall(facts: ToolFacts, call: Fields, cwd: string): string {
  return (facts.kind === "execute" ? exactCommand(facts, call, cwd) : null) ?? everythingOf(facts, call);
}

/** The command itself where that is all there is to it; null when there is none. */
function exactCommand({ args, title }: ToolFacts, call: Fields, cwd: string): string | null {
  const command = textOf(fieldsOf(args), "command");
  if (command !== null) {
    const isAll = Object.entries(fieldsOf(args)).every((beside) => isImmaterial(beside, cwd));
    return isAll ? commandCall(command) : JSON.stringify(args);
  }
  if (!isListOnly(args)) return null;
  const details = contentText(call);
  // Gemini CLI tells another directory here, before words of the model.
  const beside = { ...fieldsOf(args), ...(details.startsWith("[in ") ? { details } : {}) };
  return Object.keys(beside).length === 0 ? commandCall(title) : JSON.stringify({ command: title, ...beside });
}

/** Of what stands beside a command: whether it would be the same without. */
function isImmaterial([key, value]: readonly [string, unknown], cwd: string): boolean {
  if (BESIDE_COMMAND.has(key) || value === null) return true;
  if (key === "cwd" || key === "workdir") return value === cwd;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function everythingOf(facts: ToolFacts, call: Fields): string {
  const { args, title, kind } = facts;
  const diff = diffOf(facts);
  const paths = kind === "edit" ? touchedPaths(facts, call) : [];
  return JSON.stringify({
    title,
    ...(paths.length > 0 && isListOnly(args) ? {} : { args }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(diff === null ? {} : { diff }),
  });
}

/** Agents name the files of a change by keys of their own, or not at all; the diffs and places they show are named alike. */
function touchedPaths({ args, changes }: ToolFacts, call: Fields): string[] {
  const locations = recordsOf(call, "locations").flatMap((location) => textOf(location, "path") ?? []);
  return [...new Set([...changes.map(({ path }) => path), ...locations, ...textsOf(fieldsOf(args), "paths")])];
}

/** True for none, or nothing but a list of paths, as it is made for agents that tell no arguments. */
function isListOnly(args: ToolFacts["args"]): boolean {
  if (!isRecord(args) || Object.keys(args).some((key) => key !== "paths")) return false;
  const { paths = [] } = args;
  return Array.isArray(paths) && paths.every((one) => typeof one === "string");
}
