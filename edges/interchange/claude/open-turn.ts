/** A turn of Claude Code while its lines are read; its state determines its outcome. */
import type { Usage } from "../../../src/protocol/index.ts";
import { type TurnDraft, type TurnEnding, sumUsage } from "../../../src/host/index.ts";
import { endTool, failureOf, noteUsage, addBlocks, stopReasonOf, wasCut } from "./answers.ts";
import { blocksOf, resultIdsOf, type ClaudeNode } from "./lines.ts";

export const UNFINISHED = "unfinished";

export class OpenTurn {
  readonly draft: TurnDraft;
  readonly #usages = new Map<string, Usage>();
  #stop: string | undefined;
  #failure: string | undefined;
  #isStopped = false;
  /** Ended with a tool result, so an answer was pending. */
  #isWaiting = true;

  constructor(draft: TurnDraft) {
    this.draft = draft;
  }

  answer(node: ClaudeNode): void {
    noteUsage(this.#usages, node);
    this.#isWaiting = false;
    this.#stop = stopReasonOf(node);
    this.#failure = failureOf(node);
    if (wasCut(node.line)) this.#isStopped = true;
    if (this.#failure === undefined) addBlocks(this.draft, node);
  }

  results(node: ClaudeNode): void {
    if (resultIdsOf(node).length === 0) return;
    this.#isWaiting = true;
    for (const block of blocksOf(node)) {
      if (block["type"] === "tool_result") endTool(this.draft, node.ts, block, node.line);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  get ending(): TurnEnding {
    const usage = sumUsage(this.#usages.values());
    if (this.#failure !== undefined) {
      return { outcome: "errored", error: { code: "provider_error", message: this.#failure }, usage };
    }
    if (this.#isStopped) return { outcome: "interrupted", reason: "user", usage };
    const isCut = this.#isWaiting || this.draft.hasOpenCalls || this.#stop === "tool_use";
    return isCut ? { outcome: "interrupted", reason: UNFINISHED, usage } : { outcome: "completed", usage };
  }
}
