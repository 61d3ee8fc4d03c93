/** The logs of delegated agents: files below the session's own, or, in logs of one file, the deeper lines in it. */
import { type SourceFile, type TurnDraft, type TurnEnding } from "../../../src/host/index.ts";
import { textOf, nonBlankText } from "../../../src/kit/fields.ts";
import {
  answerOf,
  delegationOf,
  delegationsIn,
  resultOf,
  sproutLines,
  type Delegation,
  type SproutLine,
} from "./lines.ts";
import { OpenTurn } from "./open-turn.ts";

export interface ChildLog {
  /** As in the file's name. */
  readonly id: string;
  readonly file: SourceFile;
}

interface PendingLog {
  /** Files are named after the child, the handle it was started with, or neither: then its lines identify it. */
  readonly names: ReadonlySet<string>;
  readonly lines: readonly SproutLine[];
}

export class ChildLogs {
  readonly #pending = new Set<PendingLog>();

  /** `deeper`: lines of the session's own file that are not its root's. */
  constructor(logs: readonly ChildLog[], deeper: readonly SproutLine[]) {
    for (const { id, file } of logs) this.#add(id, sproutLines(file.lines));
    for (const [agentId, lines] of Map.groupBy(deeper, (line) => line.agentId)) this.#add(agentId, lines);
  }

  /** Each log is imported once. `end`: the line with its outcome. */
  addChild(parent: TurnDraft, start: SproutLine, end: SproutLine | undefined): void {
    const delegation = delegationOf(start);
    const log = this.#find(delegation, start);
    if (log === undefined && delegation.ids.length === 0) return;
    if (log !== undefined) this.#pending.delete(log);
    const { data, ts } = start;
    const name = nonBlankText(data["mnemonic_name"]) ?? delegation.name ?? "subagent";
    const result = resultOf(end?.data ?? {});
    const lines = log?.lines ?? [];
    const own = lines.filter((line) => line.depth === lines[0]?.depth);
    const model = nonBlankText(own.find(({ kind }) => kind === "llm_start")?.data["model"]);
    const child = parent.subagent(ts, { name, task: textOf(data["goal"]) ?? "", nativeId: result?.id, model });
    if (child === undefined) return;
    const open = new OpenTurn(child);
    const endOf = delegationsIn(own);
    for (const line of own) {
      open.handle(line);
      if (line.kind === "act_start") this.addChild(child, line, endOf(line));
    }
    if (log !== undefined || end === undefined) parent.endSubagent(child, open.ending, lastText(own));
    else parent.endSubagent(child, endingOf(end), nonBlankText(result?.text));
  }

  #add(id: string, lines: readonly SproutLine[]): void {
    const [first] = lines;
    this.#pending.add({ names: new Set(first === undefined ? [id] : [id, first.agentId]), lines });
  }

  /** Logs without child ids are matched by agent and goal. */
  #find({ ids, name, goal }: Delegation, { depth }: SproutLine): PendingLog | undefined {
    const logs = [...this.#pending];
    const named = logs.find(({ names }) => ids.some((id) => names.has(id)));
    if (named !== undefined || ids.length > 0 || name === undefined || goal === undefined) return named;
    return logs.find(({ names, lines }) => {
      const perceiveLine = lines.find(({ kind }) => kind === "perceive");
      const isBelow = perceiveLine?.depth === depth + 1 && names.has(name);
      return isBelow && textOf(perceiveLine.data["goal"])?.startsWith(goal) === true;
    });
  }
}

/** For a child without a log: it was refused, or its log is lost. */
function endingOf({ data }: SproutLine): TurnEnding {
  if (data["timed_out"] === true) return { outcome: "timed_out" };
  if (data["success"] !== false) return { outcome: "completed" };
  const message = nonBlankText(data["error"]) ?? "The delegation failed.";
  return { outcome: "errored", error: { code: "agent_error", message } };
}

function lastText(lines: readonly SproutLine[]): string | undefined {
  const answers = lines.filter(({ kind }) => kind === "plan_end").map(({ data }) => answerOf(data).text);
  return nonBlankText(answers.findLast((text) => text.trim() !== ""));
}
