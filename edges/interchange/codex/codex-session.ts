/**
 * Parses rollout files of Codex (`sessions/<date>/rollout-<time>-<id>.jsonl`) as an external session. Pure: the caller
 * reads the files.
 */
import { titleFrom, withDamage, type ExternalSession, type SourceFile } from "../../../src/host/index.ts";
import { nonBlankText } from "../../../src/kit/fields.ts";
import { ChildThreads } from "./child-threads.ts";
import { metaOf, rolloutLines, type RolloutLine } from "./rollout-lines.ts";
import { Importer } from "./importer.ts";
import { callOf } from "./tool-items.ts";
import { recordedPrompt, inferredPrompt } from "./user-prompt.ts";

export { selectLine, metaOf, rolloutLines, type RolloutLine, type RolloutMeta } from "./rollout-lines.ts";

export interface CodexSource {
  readonly file: SourceFile;
  /** Rollouts of the threads it spawned. */
  readonly children: readonly SourceFile[];
}

/** Undefined when it is not a rollout or has no messages. */
export function readSession(source: CodexSource, { member }: { member: string }): ExternalSession | undefined {
  const { file, children } = source;
  const lines = rolloutLines(file.lines);
  const meta = lines.map(metaOf).find((one) => one !== undefined);
  if (meta === undefined) return undefined;
  const hasPromptRecords = containsPromptRecords(lines);
  const importer = new Importer({
    member,
    origin: `codex:${meta.id}`,
    children: new ChildThreads(children),
    hasPromptRecords,
  });
  for (const line of lines) importer.handle(line);
  importer.finish();
  if (importer.units.length === 0) return undefined;
  const endMs = importer.units.at(-1)?.drafts.at(-1)?.ts ?? meta.ts;
  return {
    nativeId: meta.id,
    title: titleOf(lines) ?? meta.id,
    ...(meta.cwd === undefined ? {} : { cwd: meta.cwd }),
    startedMs: meta.ts,
    agent: { kind: "codex" },
    units: [...withDamage(importer.units, file, meta.ts), ...children.flatMap((child) => withDamage([], child, endMs))],
  };
}

/** Its name, else the beginning of its first message. */
export function titleOf(lines: readonly RolloutLine[]): string | undefined {
  const named = lines.findLast(({ payload }) => payload["type"] === "thread_name_updated")?.payload["thread_name"];
  const hasPromptRecords = containsPromptRecords(lines);
  const prompts = lines.map((line) => (hasPromptRecords ? recordedPrompt(line) : inferredPrompt(line)));
  return (
    titleFrom(nonBlankText(named) ?? prompts.find((one) => (one?.text ?? "").trim() !== "")?.text ?? "") || undefined
  );
}

/** Old files have no user message lines; a short one may still get some. */
function containsPromptRecords(lines: readonly RolloutLine[]): boolean {
  const isAnswered = lines.some(({ payload }) => payload["role"] === "assistant" || callOf(payload) !== undefined);
  return lines.some((line) => recordedPrompt(line) !== undefined) || !isAnswered;
}

/** Whether other rollouts may belong to this one. */
export function hasChildren(file: SourceFile): boolean {
  return rolloutLines(file.lines).some(({ payload }) => payload["name"] === "spawn_agent");
}
