/** Every recorded conversation with an ACP agent that a member can meet, as events: golden, and by what must hold. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { DialectEvent } from "../../../src/agents/process/dialect.ts";
import { replayTrace, type Replayed } from "./replay-trace.ts";

const TRACES = path.join(import.meta.dirname, "..", "traces");
const cases = readdirSync(TRACES)
  .filter((agent) => agent.startsWith("acp-"))
  .flatMap((agent) =>
    readdirSync(path.join(TRACES, agent)).map((file) => ({ agent, scenario: file.replace(".io.jsonl", "") })),
  );

const LONG =
  "Here is a plain answer streamed in many small pieces. It has more than one sentence, a list:\n\n- first item\n" +
  "- second item\n\nand a code block:\n\n```js\nconst answer = 42\n```\n\nThat is all.";

/** What the agents of these recordings ended with, where that is not everything they sent as text. */
const FINAL_TEXT: Readonly<Record<string, readonly string[]>> = {
  "acp-claude/drop-once": ["Recovered after the scripted failures."],
  "acp-codex/drop-once": ["Recovered after the scripted failures."],
  "acp-pi/drop-once": ["Recovered after the scripted failures."],
  "acp-pi/roundtable-drop-behind-text": [
    "Recovered after the scripted failures.",
    "Looking.Recovered after the scripted failures.",
  ],
  "acp-claude/error-400": [""],
  "acp-claude/roundtable-cut-after-block": [
    "Recovered after the scripted failures.",
    `A whole text.${LONG}`,
    "",
    `Cut off in the${LONG}`,
  ],
  "acp-claude/roundtable-error-after-tool": [""],
  "acp-copilot/roundtable-errors": [
    "",
    "Recovered after the scripted failures.",
    "Recovered after the scripted failures.",
  ],
  "acp-codex/error-400": [""],
};

describe.each(cases)("$agent/$scenario", ({ agent, scenario }) => {
  const replayed = replayTrace(agent, scenario);

  test("the recording gives exactly the events that were reviewed", async () => {
    const file = path.join("..", "golden", "acp", agent, `${scenario}.json`);
    // The catalogue of the day on which it was recorded; what is read of it, and what guards the agent, have tests of their own.
    const reviewed = replayed.events.filter(({ type }) => type !== "member_models" && type !== "member_guard");
    await expect(`${JSON.stringify(reviewed, null, 1)}\n`).toMatchFileSnapshot(file);
  });

  test("every prompt ends its turn once", () => {
    const prompts = replayed.written.filter(({ method }) => method === "session/prompt").length;
    const steers = all(replayed.events, "steered").length;
    expect(all(replayed.events, "turn_over")).toHaveLength(prompts - steers);
  });

  test("the text that stands is the agent's own final text", () => {
    expect(standingText(replayed.events)).toEqual(FINAL_TEXT[`${agent}/${scenario}`] ?? sentText(replayed));
  });

  test("every tool call has exactly one result", () => {
    const started = all(replayed.events, "tool_call_start").map(({ nativeId }) => nativeId);
    // Calls that run beside each other end in any order.
    const ended = all(replayed.events, "tool_result").map(({ nativeId }) => nativeId);
    expect(ended.toSorted()).toEqual(started.toSorted());
    // A provider may give an id again, but not to two that run.
    const running = new Set<string>();
    for (const event of replayed.events) {
      if (event.type === "tool_call_start") expect(running.has(event.nativeId)).toBe(false);
      if (event.type === "tool_call_start") running.add(event.nativeId);
      if (event.type === "tool_result") expect(running.delete(event.nativeId)).toBe(true);
    }
  });

  test("the usage of a turn is what the agent recorded for it", () => {
    const told = all(replayed.events, "turn_over").map(({ usage }) =>
      usage === undefined
        ? null
        : [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.reasoningTokens],
    );
    expect(told).toEqual(recordedUsage(replayed));
  });

  test("nothing of it is unreadable, unexpected or out of its turn", () => {
    const odd = replayed.events.filter(({ type }) => type === "unexpected" || type === "unreadable");
    expect(odd).toEqual([]);
  });
});

test("of claude-agent-acp, what broke off behind a whole block is gone, and what was cut at its limit stands", () => {
  const { events } = replayTrace("acp-claude", "roundtable-cut-after-block");
  const [thought, text, , cut] = standingText(events);
  expect([thought, text, cut]).toEqual([
    "Recovered after the scripted failures.",
    `A whole text.${LONG}`,
    `Cut off in the${LONG}`,
  ]);
});

test("a failure that an agent also says as text is told once, with or without a full stop", () => {
  const { events } = replayTrace("acp-claude", "roundtable-cut-after-block");
  const failed = all(events, "turn_over")[2];
  expect(failed?.error?.message).toContain("Connection to the API was lost (ECONNRESET)");
  expect(standingText(events)[2]).toBe("");
});

test("a call that begins under the id of one that is over is a call of its own, and is asked for", () => {
  const { events } = replayTrace("acp-opencode", "roundtable-repeated-ids");
  const calls = events.flatMap((event) => (event.type === "tool_call_start" ? [event.nativeId] : []));
  expect(calls).toEqual(["call_0", "call_1", "call_0", "call_0"]);
  expect(all(events, "tool_result").map(({ result }) => result)).toEqual(["1\n", "2\n", "3\n", "4\n"]);
  const asked = all(events, "request").map(({ request }) => (request.method === "approval" ? request.call : ""));
  expect(asked).toEqual(["echo 1", "echo 2", "echo 3", "echo 4"]);
});

test("prompts of one turn that the same work answers are counted once, others together", () => {
  const { events } = replayTrace("acp-opencode", "roundtable-steers");
  expect(all(events, "turn_over").map(({ usage }) => [usage?.inputTokens, usage?.outputTokens])).toEqual([
    [1_864, 3],
    [57_110 + 57_117, 4 + 3],
  ]);
});

test("of pi-acp, a retry takes back all of the broken answer, and nothing from before a call", () => {
  const { events } = replayTrace("acp-pi", "roundtable-drop-behind-text");
  expect(standingText(events)).toEqual([
    "Recovered after the scripted failures.",
    "Looking.Recovered after the scripted failures.",
  ]);
});

test("the end of a call that comes after its stopped turn is no call of the next one", () => {
  const { events } = replayTrace("acp-codex", "roundtable-late-end");
  const next = events.slice(events.findIndex(({ type }) => type === "turn_over") + 1);
  expect(next.filter(({ type }) => /^tool_|unexpected/.test(type))).toEqual([]);
});

function all<Type extends DialectEvent["type"]>(
  events: readonly DialectEvent[],
  type: Type,
): Extract<DialectEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<DialectEvent, { type: Type }> => event.type === type);
}

/** For each turn, what is left of its text when it ends. */
function standingText(events: readonly DialectEvent[]): string[] {
  const texts: string[] = [];
  let closed: string[] = [];
  let open = "";
  for (const event of events) {
    if (event.type === "text_delta") open += event.text;
    if (event.type === "text_retracted" && open === "") closed.pop();
    if (event.type === "text_done") closed.push(open);
    if (event.type === "text_done" || event.type === "text_retracted") open = "";
    if (event.type !== "turn_over") continue;
    texts.push(closed.join("") + open);
    [closed, open] = [[], ""];
  }
  return texts;
}

/** For each turn, everything the agent sent as text before it answered all of its prompts. */
function sentText({ recorded }: Replayed): string[] {
  const texts: string[] = [];
  const open = new Set<number | string | undefined>();
  let isAsked = false;
  for (const { dir, line } of recorded) {
    if (dir === "in" && line.method === "session/prompt") {
      if (open.size === 0) texts.push("");
      open.add(line.id);
      isAsked = true;
    }
    if (dir === "out" && line.method === undefined) open.delete(line.id);
    const update = (line.params as { update?: Update } | undefined)?.update;
    const text = update?.sessionUpdate === "agent_message_chunk" ? (update.content?.text ?? "") : "";
    if (isAsked && dir === "out" && !text.startsWith("pi v")) texts[texts.length - 1] += text;
  }
  return texts;
}

interface Update {
  readonly sessionUpdate?: string;
  readonly content?: { readonly text?: string };
}

interface PromptAnswer {
  readonly stopReason?: string;
  readonly usage?: Readonly<Record<string, number>> | null;
  readonly _meta?: { readonly quota?: { readonly token_count?: Readonly<Record<string, number>> | null } };
}

function recordedUsage({ recorded }: Replayed): (Counts | null)[] {
  const told = usageOf({ recorded });
  // This one tells with each turn what all of them have used.
  if (!/"agentInfo":\{"name":"Copilot"/.test(JSON.stringify(recorded))) return told;
  return told.map((counts, at) => counts?.map((count, index) => (count ?? 0) - (told[at - 1]?.[index] ?? 0)) ?? null);
}

type Counts = readonly (number | undefined)[];

/** Of each turn. Prompts that were answered together tell the same; what was worked for alone is counted beside. */
function usageOf({ recorded }: Pick<Replayed, "recorded">): (Counts | null)[] {
  const open = new Set<number | string | undefined>();
  const turns: (Counts | null)[] = [];
  let [isOfTurn, isWork] = [false, false];
  for (const { dir, line } of recorded) {
    if (dir === "in" && line.method === "session/prompt") {
      if (open.size === 0) [isOfTurn, isWork] = [false, true];
      open.add(line.id);
    }
    const kind = (line.params as { update?: Update } | undefined)?.update?.sessionUpdate ?? "";
    if (/chunk|tool/.test(kind)) isWork = true;
    if (dir !== "out" || line.method !== undefined || !open.delete(line.id)) continue;
    const counts = countsOf(line.result as PromptAnswer | undefined);
    const before = isOfTurn ? (turns.pop() ?? null) : null;
    turns.push(isWork ? (counts?.map((count, at) => sum(count, before?.[at])) ?? before) : (counts ?? before));
    [isOfTurn, isWork] = [true, false];
  }
  return turns;
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

function countsOf(answer: PromptAnswer = {}): Counts | null {
  const own = answer.usage;
  const quota = answer._meta?.quota?.token_count;
  if (own) return [own["inputTokens"], own["outputTokens"], own["cachedReadTokens"], own["thoughtTokens"]];
  return quota ? [quota["input_tokens"], quota["output_tokens"], undefined, undefined] : null;
}
