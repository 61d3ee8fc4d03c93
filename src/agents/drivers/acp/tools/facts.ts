/** What an agent tells of a tool call, in its own words, as what we show. Pure. */
import { EDITORS, MORE_THAN_EDITORS, SHELLS, type Json } from "../../../../protocol/index.ts";
import { bareToolName } from "../../../host-tools/server-name.ts";
import { jsonOf, recordOf, recordAt, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { contentChanges, type ChangeWithDiff } from "./changes.ts";

/** Of the output of a running tool, this much is kept for its result; the session has seen all of it. */
export const OUTPUT_CHARS_MAX = 1024 * 1024;

export interface ToolFacts {
  readonly name: string;
  /** Whether the program itself told it. What stands elsewhere may be words of the model or of its provider. */
  readonly isNameReported: boolean;
  readonly title: string;
  readonly args: Json;
  readonly kind: ToolKind;
  /** What it has put out so far, from its beginning. */
  readonly output: string;
  readonly isOutputCut: boolean;
  /** What it does to files, as far as it tells. */
  readonly changes: readonly ChangeWithDiff[];
  /** Refused, and told so. */
  readonly isDenied: boolean;
  readonly hasRequestedPermission: boolean;
  /** Its beginning was told as such. Of any other, that may still come, also after its end. */
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

/** `written`: the name that this agent itself puts where others put words of the model. */
export function firstFacts(call: Fields, written: string | null): ToolFacts {
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

export function toolKind(call: Fields): ToolKind | null {
  const kind = textOf(call, "kind");
  return kind === null ? null : (KINDS[kind] ?? "other");
}

/**
 * The name by which the model called the tool. Where an agent does not tell it, its title is one word, or its id
 * begins with the name; the kind is the last resort, and of a call that acts the only one: by any other name the model
 * could choose which rules it comes under.
 */
function toolName(call: Fields, written: string | null): Pick<ToolFacts, "name" | "isNameReported"> {
  const reported = textOf(call, "name") ?? textOf(recordAt(call, "_meta", "claudeCode"), "toolName");
  if (reported !== null && reported !== "") return { name: reported, isNameReported: true };
  const kind = textOf(call, "kind") ?? "tool";
  const known = ACTING.get(kind);
  if (known === undefined) {
    const name = oneWord(written ?? "") ?? nameInId(call) ?? oneWord(textOf(call, "title") ?? "") ?? kind;
    return { name, isNameReported: false };
  }
  const isKnown = written !== null && known.has(written.toLowerCase());
  return { name: isKnown ? written : kind, isNameReported: isKnown };
}

/** The kinds of calls that act, with the names under which rules know each. */
const ACTING: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["execute", SHELLS],
  ["edit", EDITORS],
  ["delete", MORE_THAN_EDITORS],
  ["move", MORE_THAN_EDITORS],
]);

function nameInId(call: Fields): string | null {
  return /^([A-Za-z][A-Za-z0-9_]*?)(?:__call_|-\d)/.exec(textOf(call, "toolCallId") ?? "")?.[1] ?? null;
}

function oneWord(title: string): string | null {
  return /^[A-Za-z][\w.-]{0,63}$/.test(title) ? title : null;
}

/** The name of a call that is known, when this message says of what kind it is. */
export function nameIn(call: Fields, { name, isNameReported }: ToolFacts): string {
  const kind = textOf(call, "kind") ?? "";
  return isNameReported || !ACTING.has(kind) ? name : kind;
}

/** Null when this message says nothing of them. */
export function toolArgs(call: Fields): Json | null {
  if (call["rawInput"] !== undefined && call["rawInput"] !== null) return jsonOf(call["rawInput"]);
  const paths = recordsOf(call, "locations").flatMap((location) => textOf(location, "path") ?? []);
  return paths.length === 0 ? null : { paths };
}

/** Text of the call's content, which each message gives whole. */
export function contentText(call: Fields): string {
  return recordsOf(call, "content")
    .filter((part) => part["type"] === "content")
    .map((part) => textOf(recordOf(part, "content"), "text") ?? "")
    .join("");
}

export function diffOf({ changes }: Pick<ToolFacts, "changes">): string | null {
  return changes.length === 0 ? null : changes.map(({ diff }) => diff).join("");
}

/** What a terminal put out since the last message; extensions of codex-acp and pi-acp. */
export function terminalDelta(call: Fields): string {
  const meta = recordOf(call, "_meta");
  return (
    textOf(recordOf(meta, "terminal_output_delta"), "data") ?? textOf(recordOf(meta, "terminal_output"), "data") ?? ""
  );
}

/** The tool's result in words. A bare text wins over content that was dressed up for a screen. */
export function resultText(call: Fields, facts: ToolFacts): string {
  const raw = call["rawOutput"];
  if (typeof raw === "string" && raw !== "") return raw;
  const shown = contentText(call);
  return shown === "" ? namedOutput(call) || facts.output : shown;
}

/** What a tool that still runs has put out: the same words with each message, and more. */
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
