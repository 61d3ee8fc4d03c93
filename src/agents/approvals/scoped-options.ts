/**
 * How far a yes reaches: this once is the agent's own choice; for the session, for always and for every file here are the
 * table's, for every member alike.
 */
import { FOR_ALWAYS, FOR_EDITS, FOR_SESSION, onceValue, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { coversOf, type AskedCall, type Cover } from "./asked-call.ts";
import { editsHere } from "./protected-paths.ts";

export type Approval = Extract<UiRequestBody, { method: "approval" }>;

const LASTING: ReadonlySet<Json> = new Set([FOR_SESSION, FOR_ALWAYS, FOR_EDITS]);

const COVERS_MAX = 50;
/** What is remembered stands in the request a second time, which must still fit into one event. */
const COVERS_CHARS_MAX = 16 * 1024;
const SHOWN_CHARS_MAX = 80;

/** The same request with the table's choices behind the agent's first one, and what they would cover. */
export function withScopes(request: Approval, asked: AskedCall, { hasAlways }: { hasAlways: boolean }): Approval {
  const covers = coversOf(asked);
  const once = onceValue(request);
  const isTooLong = covers.length > COVERS_MAX || JSON.stringify(covers).length > COVERS_CHARS_MAX;
  if (once === undefined || isTooLong) return request;
  const what = wordsFor(asked.subjects.length === 1 ? covers[0] : undefined);
  const scopes = [
    { label: `Allow ${what} to every member, for this session`, value: FOR_SESSION },
    ...(hasAlways ? [{ label: `Allow ${what} to every member, always in this directory`, value: FOR_ALWAYS }] : []),
    ...(editsHere(asked)
      ? [{ label: "Allow changes of every file here to every member, for this session", value: FOR_EDITS }]
      : []),
  ];
  const at = request.options.findIndex(({ value }) => value === once) + 1;
  const options = [...request.options.slice(0, at), ...scopes, ...request.options.slice(at)];
  return { ...request, options, opts: { ...request.opts, covers: covers.map(({ ...cover }) => cover) } };
}

/** An agent's own choices and covers under the table's names are taken out: only the table says what a yes covers. */
export function withoutForeignScopes(request: Approval): Approval {
  const { opts, ...rest } = request;
  const options = request.options.filter(({ value }) => !isLasting(value));
  const others = Object.entries(opts ?? {}).filter(([key]) => key !== "covers");
  if (options.length === request.options.length && others.length === Object.keys(opts ?? {}).length) return request;
  return { ...rest, options, ...(others.length === 0 ? {} : { opts: Object.fromEntries(others) }) };
}

/** A yes that reaches further than once: the table's to remember. */
export function isLasting(result: Json): boolean {
  return LASTING.has(result);
}

function wordsFor(cover: Cover | undefined): string {
  if (cover?.kind === "path" && cover.text.length <= SHOWN_CHARS_MAX) return `changes of ${cover.text}`;
  if (cover?.kind === "path") return "changes of this file";
  return cover?.kind === "command" ? "exactly this command" : "exactly this";
}
