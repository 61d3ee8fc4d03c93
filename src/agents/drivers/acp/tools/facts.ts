/** Facts about a tool call, from the agent's messages about it. Pure. */
import { EDITORS, MORE_THAN_EDITORS, SHELLS, type Json } from "../../../../protocol/index.ts";
import { bareToolName } from "../../../host-tools/server-name.ts";
import { jsonOf, recordOf, recordAt, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { contentChanges, type ChangeWithDiff } from "./changes.ts";

/** Output of a running tool that is stored for its result; the session has received all of it. */
export const OUTPUT_CHARS_MAX = 1024 * 1024;

export interface ToolFacts {
  readonly name: string;
  /** Whether the program itself reported the name. Other fields may hold text of the model or its provider. */
  readonly isNameReported: boolean;
  readonly title: string;
  readonly args: Json;
  readonly kind: ToolKind;
  /** Output so far, from its beginning. */
  readonly output: string;
  readonly isOutputCut: boolean;
  /** Changes to files, as far as reported. */
  readonly changes: readonly ChangeWithDiff[];
  /** Denied, and reported as such. */
  readonly isDenied: boolean;
  readonly hasRequestedPermission: boolean;
  /** Its start was reported as such. For any other call that may still follow, even after its end. */
  readonly isAnnounced: boolean;
  readonly isDone: boolean;
  readonly isSuccess: boolean;
}

export type ToolKind = "read" | "search" | "edit" | "execute" | "ask" | "agent" | "other";

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  search: "search",
  edit: "edit",
  delete: "edit",
  move: "edit",
  execute: "execute",
};

/** `written`: name that this agent itself puts where others put model text. */
export function firstFacts(call: Fields, written: string | undefined): ToolFacts {
  const { name, isNameReported } = toolName(call, written);
  return {
    name: bareToolName(name),
    isNameReported,
    title: textOf(call, "title") ?? "",
    args: toolArgs(call) ?? {},
    kind: toolKind(call) ?? "other",
    output: "",
    isOutputCut: false,
    changes: contentChanges(call),
    isDenied: false,
    hasRequestedPermission: false,
    isAnnounced: false,
    isDone: false,
    isSuccess: false,
  };
}

export function toolKind(call: Fields): ToolKind | undefined {
  const kind = textOf(call, "kind");
  return kind === undefined ? undefined : (KINDS[kind] ?? "other");
}

/**
 * Name by which the model called the tool. Where the agent does not report it: a one-word title, the prefix of its id,
 * or else the kind. For a call that acts only the kind counts: with any other name the model could choose which rules
 * apply.
 */
function toolName(call: Fields, written: string | undefined): Pick<ToolFacts, "name" | "isNameReported"> {
  const reported = textOf(call, "name") ?? textOf(recordAt(call, "_meta", "claudeCode"), "toolName");
  if (reported !== undefined && reported !== "") return { name: reported, isNameReported: true };
  const kind = textOf(call, "kind") ?? "tool";
  const known = ACTING.get(kind);
  if (known === undefined) {
    const name = oneWord(written ?? "") ?? nameInId(call) ?? oneWord(textOf(call, "title") ?? "") ?? kind;
    return { name, isNameReported: false };
  }
  const isKnown = written !== undefined && known.has(written.toLowerCase());
  return { name: isKnown ? written : kind, isNameReported: isKnown };
}

/** Kinds of calls that act, with the tool names of each in rules. */
const ACTING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["execute", SHELLS],
  ["edit", EDITORS],
  ["delete", MORE_THAN_EDITORS],
  ["move", MORE_THAN_EDITORS],
]);

function nameInId(call: Fields): string | undefined {
  return /^([A-Za-z][A-Za-z0-9_]*?)(?:__call_|-\d)/.exec(textOf(call, "toolCallId") ?? "")?.[1];
}

function oneWord(title: string): string | undefined {
  return /^[A-Za-z][\w.-]{0,63}$/.test(title) ? title : undefined;
}

/** Name of a known call, when this message tells its kind. */
export function nameIn(call: Fields, { name, isNameReported }: ToolFacts): string {
  const kind = textOf(call, "kind") ?? "";
  return isNameReported || !ACTING.has(kind) ? name : kind;
}

/** Null when this message has none. */
export function toolArgs(call: Fields): Json | null {
  if (call["rawInput"] !== undefined && call["rawInput"] !== null) return jsonOf(call["rawInput"]);
  const paths = recordsOf(call, "locations").flatMap((location) => textOf(location, "path") ?? []);
  return paths.length === 0 ? null : { paths };
}

/** Text of the call's content, which each message repeats as a whole. */
export function contentText(call: Fields): string {
  return recordsOf(call, "content")
    .filter((part) => part["type"] === "content")
    .map((part) => textOf(recordOf(part, "content"), "text") ?? "")
    .join("");
}

export function diffOf({ changes }: Pick<ToolFacts, "changes">): string | undefined {
  return changes.length === 0 ? undefined : changes.map(({ diff }) => diff).join("");
}

/** Terminal output since the last message; extension of codex-acp and pi-acp. */
export function terminalDelta(call: Fields): string {
  const meta = recordOf(call, "_meta");
  return (
    textOf(recordOf(meta, "terminal_output_delta"), "data") ?? textOf(recordOf(meta, "terminal_output"), "data") ?? ""
  );
}

/** Result as text. A bare text takes precedence over content formatted for display. */
export function resultText(call: Fields, facts: ToolFacts): string {
  const raw = call["rawOutput"];
  if (typeof raw === "string" && raw !== "") return raw;
  const shown = contentText(call);
  return shown === "" ? namedOutput(call) || facts.output : shown;
}

/** Output of a running tool, which each message repeats and extends. */
export function runningText(call: Fields): string {
  const shown = contentText(call);
  if (shown !== "") return shown;
  const raw = call["rawOutput"];
  return typeof raw === "string" ? raw : namedOutput(call);
}

function namedOutput(call: Fields): string {
  const output = recordOf(call, "rawOutput");
  return textOf(output, "output") ?? textOf(output, "stdout") ?? textOf(output, "error") ?? "";
}
