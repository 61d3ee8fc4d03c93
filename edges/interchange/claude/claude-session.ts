/**
 * Parses session files of Claude Code (`projects/<directory>/<session>.jsonl`, subagents in files beside) as an
 * external session. Pure: the caller reads the files. The newest branch is the conversation; others are mentioned.
 */
import { titleFrom, withDamage, notice, type ExternalSession, type SourceFile } from "../../../src/host/index.ts";
import { textOf, nonBlankText, fieldsOf } from "../../../src/kit/fields.ts";
import { chooseBranch } from "./choose-branch.ts";
import { blocksOf, nodesOf, type ClaudeNode } from "./lines.ts";
import { Importer } from "./importer.ts";
import { Subagents, type SubagentFile } from "./subagents.ts";
import { parseUserEntry } from "./user-entry.ts";

export { selectLine } from "./lines.ts";
export type { SubagentFile } from "./subagents.ts";

export interface ClaudeSource {
  /** File name without its extension: the session's id. */
  readonly nativeId: string;
  readonly file: SourceFile;
  readonly subagents: readonly SubagentFile[];
}

/** Undefined for a log without messages. */
export function readSession(source: ClaudeSource, { member }: { member: string }): ExternalSession | undefined {
  const { nativeId, file } = source;
  const nodes = nodesOf(file.lines);
  const main = nodes.filter((node) => !node.isSidechain);
  const { path, forks, isBroken } = chooseBranch(main);
  // From the whole file, so that rewinding to the beginning does not create another session.
  const first = main.find(({ ts }) => ts > 0);
  if (first === undefined) return undefined;
  const subagents = new Subagents(
    source.subagents,
    nodes.filter((node) => node.isSidechain),
  );
  const importer = new Importer({ member, origin: `claude:${nativeId}`, subagents }, path);
  for (const node of path) {
    const messages = forks.get(node);
    if (messages !== undefined) importer.builder.noteRewind(node, messages);
    importer.handle(node);
  }
  importer.finish();
  const last = forks.get(undefined);
  if (last !== undefined) importer.builder.noteRewind(undefined, last);
  if (importer.builder.units.length === 0) return undefined;
  const cwd = nonBlankText(main.find((node) => nonBlankText(node.line["cwd"]) !== undefined)?.line["cwd"]);
  return {
    nativeId,
    title: titleOf(source, path) ?? nativeId,
    ...(cwd === undefined ? {} : { cwd }),
    startedMs: first.ts,
    agent: { kind: "claude" },
    units: damaged(source, { units: importer.builder.units, startedMs: first.ts, isBroken }),
  };
}

function damaged(
  { file, subagents }: ClaudeSource,
  { units, startedMs, isBroken }: { units: ExternalSession["units"]; startedMs: number; isBroken: boolean },
): ExternalSession["units"] {
  const endMs = units.at(-1)?.drafts.at(-1)?.ts ?? startedMs;
  const lost = `Lines of ${file.name} refer to earlier ones that are missing; they were read in file order.`;
  return [
    ...withDamage(units, file, startedMs),
    ...subagents.flatMap(({ file: own }) => withDamage([], own, endMs)),
    ...(isBroken ? [notice(Infinity, endMs, lost)] : []),
  ];
}

/** Title set by the user or the program, else the beginning of the first message. */
export function titleOf({ file }: Pick<ClaudeSource, "file">, path?: readonly ClaudeNode[]): string | undefined {
  const nodes = path ?? nodesOf(file.lines).filter((node) => !node.isSidechain);
  const ids = new Set(nodes.map(({ id }) => id));
  const called = (type: string, key: string): string | undefined =>
    nonBlankText(file.lines.map(({ value }) => fieldsOf(value)).findLast((line) => line?.["type"] === type)?.[key]);
  const summary = file.lines
    .map(({ value }) => fieldsOf(value))
    .findLast((line) => line?.["type"] === "summary" && ids.has(textOf(line["leafUuid"]) ?? ""));
  const title =
    called("custom-title", "customTitle") ?? called("ai-title", "aiTitle") ?? nonBlankText(summary?.["summary"]);
  return titleFrom(title ?? firstPrompt(nodes) ?? "") || undefined;
}

function firstPrompt(nodes: readonly ClaudeNode[]): string | undefined {
  for (const node of nodes) {
    if (node.type !== "user" || node.line["isMeta"] === true) continue;
    const entry = parseUserEntry(blocksOf(node).filter((block) => block["type"] !== "tool_result"));
    if (entry.kind === "prompt" && entry.text.trim() !== "") return entry.text;
  }
  return undefined;
}
