/** The logs of delegated agents: files below the session's own, or, in logs of one file, the deeper lines in it. */
import { textOf, wordOf } from "../session-files/fields.ts";
import type { SourceFile } from "../session-files/foreign-session.ts";
import type { TurnDraft } from "../session-files/turn-draft.ts";
import { answerOf, childIdOf, delegationsIn, sproutLines, type SproutLine } from "./lines.ts";
import { OpenTurn } from "./open-turn.ts";

export interface ChildLog {
  /** As in the file's name. */
  readonly id: string;
  readonly file: SourceFile;
}

interface Delegation {
  readonly start: SproutLine;
  readonly childId: string;
  readonly nativeId: string | undefined;
}

export class ChildLogs {
  readonly #lines = new Map<string, readonly SproutLine[]>();

  /** `deeper`: lines of the session's own file that are not its root's. */
  constructor(logs: readonly ChildLog[], deeper: readonly SproutLine[]) {
    for (const [agentId, lines] of Map.groupBy(deeper, (line) => line.agentId)) this.#lines.set(agentId, lines);
    for (const { id, file } of logs) this.#lines.set(id, sproutLines(file.lines));
  }

  /** Each log is told once. */
  tell(parent: TurnDraft, { start, childId, nativeId }: Delegation): void {
    const lines = this.#lines.get(childId) ?? [];
    this.#lines.delete(childId);
    const { data, ts } = start;
    const name = wordOf(data["mnemonic_name"]) ?? wordOf(data["agent_name"]) ?? "subagent";
    const child = parent.subagent(ts, { name, task: textOf(data["goal"]) ?? "", nativeId });
    if (child === undefined) return;
    const open = new OpenTurn(child);
    const depth = lines[0]?.depth ?? 0;
    const own = lines.filter((line) => line.depth === depth);
    const calls = delegationsIn(own);
    for (const line of own) {
      open.take(line);
      const deeperId = line.kind === "act_start" ? childIdOf(line.data) : undefined;
      if (deeperId !== undefined) {
        this.tell(child, { start: line, childId: deeperId, nativeId: calls.get(deeperId) });
      }
    }
    parent.endSubagent(child, open.ending, lastText(own));
  }
}

function lastText(lines: readonly SproutLine[]): string | undefined {
  const answers = lines.filter(({ kind }) => kind === "plan_end").map(({ data }) => answerOf(data).text);
  return wordOf(answers.findLast((text) => text.trim() !== ""));
}
