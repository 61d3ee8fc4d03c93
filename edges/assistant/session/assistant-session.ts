/** Parses logs of assistant (`sessions/<id>/events.jsonl`) as an external session. Pure: the caller reads the file. */
import { withoutContextLine } from "../format/context-line.ts";
import { titleFrom, withDamage, type ExternalSession, type SourceFile } from "../../../src/host/index.ts";
import { nonBlankText } from "../../../src/kit/fields.ts";
import { chatLines, type ChatLine } from "./chat-lines.ts";
import { Importer, speakerName } from "./importer.ts";

export { chatLines, selectLine } from "./chat-lines.ts";

const SPEAKER = "assistant";

export interface AssistantSource {
  readonly nativeId: string;
  readonly file: SourceFile;
  /** Agent and title from the index of sessions. */
  readonly agentId?: string | undefined;
  readonly name?: string | undefined;
}

/** Undefined for a log without messages. */
export function readSession({ nativeId, file, agentId, name }: AssistantSource): ExternalSession | undefined {
  const lines = chatLines(file.lines);
  const importer = new Importer({ origin: `assistant:${nativeId}`, speaker: speakerName(agentId) ?? SPEAKER });
  for (const line of lines) importer.handle(line);
  importer.endTurn();
  if (importer.units.length === 0) return undefined;
  const startedMs = lines[0]?.ts ?? 0;
  const title = titleFrom(nonBlankText(name) ?? titleOf(lines) ?? nativeId);
  return { nativeId, title, startedMs, units: withDamage(importer.units, file, startedMs) };
}

export function titleOf(lines: readonly ChatLine[]): string | undefined {
  const first = lines.find(({ type }) => type === "user_message");
  return titleFrom(withoutContextLine(nonBlankText(first?.payload["text"]) ?? "")) || undefined;
}
