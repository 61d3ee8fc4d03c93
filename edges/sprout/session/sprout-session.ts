/**
 * Parses sessions of sprout (`sessions/<id>.meta.json`, `logs/<id>.jsonl`, logs of delegated agents below) as an
 * external session. Pure: the caller reads the files.
 */
import { titleFrom, withDamage, type ExternalSession, type SourceFile } from "../../../src/host/index.ts";
import { timeOf, fieldsOf, nonBlankText } from "../../../src/kit/fields.ts";
import { ChildLogs, type ChildLog } from "./child-logs.ts";
import { sproutLines, type SproutLine } from "./lines.ts";
import { Importer } from "./importer.ts";

export { selectLine, sproutLines } from "./lines.ts";
export type { ChildLog } from "./child-logs.ts";

/** Not a valid member name, but the recorded speaker. */
const SPEAKER = "sprout";

export interface SproutSource {
  readonly nativeId: string;
  readonly file: SourceFile;
  readonly children: readonly ChildLog[];
  /** Content of `meta.json`, if readable. */
  readonly meta?: unknown;
}

/** Undefined for a log without messages. */
export function readSession(source: SproutSource): ExternalSession | undefined {
  const { nativeId, file, children } = source;
  const lines = sproutLines(file.lines);
  const root = lines.filter(({ depth }) => depth === 0);
  const meta = fieldsOf(source.meta);
  const deeper = lines.filter(({ depth }) => depth > 0);
  const model = modelOf(source.meta, root);
  const logs = new ChildLogs(children, deeper);
  const importer = new Importer({ member: SPEAKER, origin: `sprout:${nativeId}`, model, children: logs }, root);
  for (const line of root) importer.handle(line);
  importer.builder.endTurn();
  if (importer.builder.units.length === 0) return undefined;
  const startedMs = timeOf(meta?.["createdAt"]) ?? root[0]?.ts ?? 0;
  const endMs = importer.builder.units.at(-1)?.drafts.at(-1)?.ts ?? startedMs;
  return {
    nativeId,
    title: titleOf(root) ?? nativeId,
    startedMs,
    units: [
      ...withDamage(importer.builder.units, file, startedMs),
      ...children.flatMap((child) => withDamage([], child.file, endMs)),
    ],
  };
}

export function titleOf(root: readonly SproutLine[]): string | undefined {
  const first = root.find(({ kind, depth }) => kind === "perceive" && depth === 0);
  return titleFrom(nonBlankText(first?.data["goal"]) ?? "") || undefined;
}

function modelOf(meta: unknown, root: readonly SproutLine[]): string | undefined {
  const fields = fieldsOf(meta);
  const resolved = fieldsOf(fields?.["resolvedModel"]) ?? fieldsOf(fieldsOf(fields?.["selection"])?.["model"]);
  const started = root.find(({ kind }) => kind === "session_start");
  return nonBlankText(fields?.["model"]) ?? nonBlankText(resolved?.["modelId"]) ?? nonBlankText(started?.data["model"]);
}
