/** Child threads of a Codex thread: each has its own rollout file that names its parent. */
import { type SourceFile, type TurnDraft } from "../../../src/host/index.ts";
import { fieldsOf, textOf, nonBlankText } from "../../../src/kit/fields.ts";
import { OpenTurn } from "./open-turn.ts";
import { metaOf, rolloutLines, type RolloutLine, type RolloutMeta } from "./rollout-lines.ts";
import { NO_TOKENS, totalIn } from "./tokens.ts";

interface Child {
  readonly meta: RolloutMeta;
  readonly lines: readonly RolloutLine[];
}

export interface Spawning {
  readonly nativeId: string;
  readonly task: string;
  readonly ts: number;
  /** Result of the call, which may name the thread. */
  readonly output: string;
}

export class ChildThreads {
  readonly #waiting: Child[];

  constructor(files: readonly SourceFile[]) {
    this.#waiting = files
      .flatMap((file) => {
        const lines = rolloutLines(file.lines);
        const meta = lines.map(metaOf).find((one) => one !== undefined);
        return meta === undefined ? [] : [{ meta, lines }];
      })
      .sort((one, other) => one.meta.ts - other.meta.ts);
  }

  /** Each is imported once, under the call that started it. */
  addThread(parent: TurnDraft, { nativeId, task, ts, output }: Spawning): void {
    const named = this.#waiting.findIndex(({ meta }) => output.includes(meta.id));
    const at = named === -1 ? this.#waiting.findIndex(({ meta }) => meta.ts >= ts) : named;
    const [child] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (child === undefined) return;
    const model = nonBlankText(child.lines.find(({ type }) => type === "turn_context")?.payload["model"]);
    const draft = parent.subagent(child.meta.ts, { name: child.meta.name ?? "subagent", task, nativeId, model });
    if (draft === undefined) return;
    const open = new OpenTurn(draft, NO_TOKENS);
    let reportedEnd: "completed" | "aborted" | undefined;
    for (const { type, ts: at, payload } of child.lines) {
      if (type === "response_item") open.item(at, payload);
      if (type !== "event_msg") continue;
      const total = totalIn(payload);
      if (total !== undefined) open.tokens(total);
      if (payload["type"] === "task_complete" || payload["type"] === "turn_complete") reportedEnd = "completed";
      if (payload["type"] === "turn_aborted") reportedEnd = "aborted";
      if (payload["type"] === "error") open.fail(payload);
    }
    parent.endSubagent(draft, open.ending(reportedEnd), lastText(child.lines));
  }
}

function lastText(lines: readonly RolloutLine[]): string | undefined {
  const ends = lines.map(({ payload }) => nonBlankText(payload["last_agent_message"]));
  return ends.findLast((text) => text !== undefined);
}

/** Prompt of a spawned thread. */
export function taskIn(args: unknown): string {
  const fields = fieldsOf(args);
  return textOf(fields?.["message"]) ?? textOf(fields?.["prompt"]) ?? textOf(fields?.["task"]) ?? "";
}
