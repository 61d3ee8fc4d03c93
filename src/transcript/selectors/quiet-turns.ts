/**
 * Turns that add nothing to a discussion, folded by every view: after the first round, ended, with nothing but "nothing
 * to add". Adjacent ones of a round form a run, shown as its first turn. Derived from pages only, so live and reloaded
 * sessions have the same runs; a run never crosses a page.
 */
import type { Usage } from "../../protocol/index.ts";
import { PAGE_SIZE, type Page, type Transcript } from "../model.ts";
import type { Block, TurnMessage } from "../messages.ts";
import { saysNothingToAdd } from "./nothing-to-add.ts";
import { pageAt } from "./messages.ts";
import { turnText } from "./turn.ts";

const judged = new WeakMap<TurnMessage, boolean>();
const runs = new WeakMap<Page, ReadonlyMap<number, readonly TurnMessage[]>>();
/** By first turn: a page that only grew keeps its runs, so that views can compare by identity. */
const runCache = new WeakMap<TurnMessage, readonly TurnMessage[]>();

/** True for an ended turn that says only that there is nothing to add, and did nothing but read. */
export function isQuietTurn(turn: TurnMessage): boolean {
  if (turn.end?.outcome !== "completed" || turn.depth > 0 || (turn.round ?? 1) < 2) return false;
  let isQuiet = judged.get(turn);
  if (isQuiet === undefined) {
    isQuiet = turn.blocks.every(isReadOnlyBlock) && saysNothingToAdd(turnText(turn));
    judged.set(turn, isQuiet);
  }
  return isQuiet;
}

function isReadOnlyBlock(block: Block): boolean {
  if (block.kind !== "tool") return block.kind === "text" || block.kind === "thinking";
  const isDone = block.state === "success" || block.state === "truncated";
  return isDone && (block.toolKind === "read" || block.toolKind === "search");
}

/** The run that contains this position; the same array while it has the same turns. */
export function quietRunAt(transcript: Transcript, position: number): readonly TurnMessage[] | undefined {
  const page = pageAt(transcript, Math.floor(position / PAGE_SIZE));
  if (page === undefined) return undefined;
  let pageRuns = runs.get(page);
  if (pageRuns === undefined) {
    pageRuns = runsIn(page);
    runs.set(page, pageRuns);
  }
  return pageRuns.get(position);
}

/** Position at which a message is drawn: the first of its run, or its own. */
export function shownPosition(transcript: Transcript, position: number): number {
  return quietRunAt(transcript, position)?.[0]?.position ?? position;
}

function runsIn({ messages }: Page): Map<number, readonly TurnMessage[]> {
  const runsByPosition = new Map<number, readonly TurnMessage[]>();
  let run: TurnMessage[] = [];
  const close = (): void => {
    const same = sameAsBefore(run);
    for (const { position } of run) runsByPosition.set(position, same);
    run = [];
  };
  for (const message of messages) {
    const turn = message.kind === "turn" && isQuietTurn(message) ? message : undefined;
    const [first] = run;
    if (first !== undefined && !(turn !== undefined && isSameRound(first, turn))) close();
    if (turn !== undefined) run.push(turn);
  }
  close();
  return runsByPosition;
}

function isSameRound(a: TurnMessage, b: TurnMessage): boolean {
  return a.round === b.round && a.rootMessageId === b.rootMessageId;
}

function sameAsBefore(run: readonly TurnMessage[]): readonly TurnMessage[] {
  const [first] = run;
  if (first === undefined) return run;
  const before = runCache.get(first);
  if (before?.length === run.length && before.every((turn, at) => turn === run[at])) return before;
  runCache.set(first, run);
  return run;
}

/** "scout, historian and critic have nothing to add". Names are unsanitised. */
export function formatQuietRun(run: readonly TurnMessage[]): string {
  const names = [...new Set(run.map(({ member }) => member))];
  const who = names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${who} ${names.length < 2 ? "has" : "have"} nothing to add`;
}

export interface QuietCost {
  readonly durationMs: number;
  /** Absent when unknown. */
  readonly usage?: Pick<Usage, "inputTokens" | "outputTokens" | "costUsd">;
}

/** Total of a run. */
export function quietCost(run: readonly TurnMessage[]): QuietCost {
  const durationMs = run.reduce((sum, { end }) => sum + (end?.durationMs ?? 0), 0);
  const usages = run.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  if (usages.length === 0) return { durationMs };
  const costs = usages.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  const usage = {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, usd) => sum + usd, 0) }),
  };
  return { durationMs, usage };
}
