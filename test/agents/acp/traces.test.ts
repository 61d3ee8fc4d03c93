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

/** What the agents of these recordings ended with, where that is not everything they sent as text. */
const FINAL_TEXT: Readonly<Record<string, readonly string[]>> = {
  "acp-claude/drop-once": ["Recovered after the scripted failures."],
  "acp-codex/drop-once": ["Recovered after the scripted failures."],
  "acp-pi/drop-once": ["Recovered after the scripted failures."],
  "acp-claude/error-400": [""],
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

  test("[A200] the recording gives exactly the events that were reviewed", async () => {
    const file = path.join("..", "golden", "acp", agent, `${scenario}.json`);
    // The catalogue of the day on which it was recorded; what is read of it has a test of its own.
    const reviewed = replayed.events.filter(({ type }) => type !== "member_models");
    await expect(`${JSON.stringify(reviewed, null, 1)}\n`).toMatchFileSnapshot(file);
  });

  test("[A201] every prompt ends its turn once", () => {
    const prompts = replayed.written.filter(({ method }) => method === "session/prompt").length;
    expect(all(replayed.events, "turn_over")).toHaveLength(prompts);
  });

  test("[A202] the text that stands is the agent's own final text", () => {
    expect(standingText(replayed.events)).toEqual(FINAL_TEXT[`${agent}/${scenario}`] ?? sentText(replayed));
  });

  test("[A203] every tool call has exactly one result", () => {
    const started = all(replayed.events, "tool_call_start").map(({ nativeId }) => nativeId);
    // Calls that run beside each other end in any order.
    const ended = all(replayed.events, "tool_result").map(({ nativeId }) => nativeId);
    expect(ended.toSorted()).toEqual(started.toSorted());
    expect(new Set(started).size).toBe(started.length);
  });

  test("[A204] the usage of a turn is what the agent recorded for it", () => {
    const told = all(replayed.events, "turn_over").map(({ usage }) =>
      usage === undefined
        ? null
        : [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.reasoningTokens],
    );
    expect(told).toEqual(recordedUsage(replayed));
  });

  test("[A205] nothing of it is unreadable, unexpected or out of its turn", () => {
    const odd = replayed.events.filter(({ type }) => type === "unexpected" || type === "unreadable");
    expect(odd).toEqual([]);
  });
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
  let [closed, open] = ["", ""];
  for (const event of events) {
    if (event.type === "text_delta") open += event.text;
    if (event.type === "text_retracted") open = "";
    if (event.type === "text_done") [closed, open] = [closed + open, ""];
    if (event.type !== "turn_over") continue;
    texts.push(closed + open);
    [closed, open] = ["", ""];
  }
  return texts;
}

/** For each prompt, everything the agent sent as text before it answered. */
function sentText({ recorded }: Replayed): string[] {
  const texts: string[] = [];
  let isOpen = false;
  for (const { dir, line } of recorded) {
    if (dir === "in" && line.method === "session/prompt") [isOpen] = [true, texts.push("")];
    const update = (line.params as { update?: Update } | undefined)?.update;
    const text = update?.sessionUpdate === "agent_message_chunk" ? (update.content?.text ?? "") : "";
    if (isOpen && dir === "out" && !text.startsWith("pi v")) texts[texts.length - 1] += text;
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

function recordedUsage({ recorded }: Replayed): (readonly (number | undefined)[] | null)[] {
  const told = toldUsage({ recorded });
  // This one tells with each turn what all of them have used.
  if (!/"agentInfo":\{"name":"Copilot"/.test(JSON.stringify(recorded))) return told;
  return told.map((counts, at) => counts?.map((count, index) => (count ?? 0) - (told[at - 1]?.[index] ?? 0)) ?? null);
}

function toldUsage({ recorded }: Pick<Replayed, "recorded">): (readonly (number | undefined)[] | null)[] {
  const prompts = new Set(
    recorded.flatMap(({ dir, line }) => (dir === "in" && line.method === "session/prompt" ? [line.id] : [])),
  );
  return recorded.flatMap(({ dir, line }) => {
    if (dir !== "out" || line.method !== undefined || !prompts.has(line.id)) return [];
    const answer = (line.result ?? {}) as PromptAnswer;
    const own = answer.usage;
    const quota = answer._meta?.quota?.token_count;
    if (own) return [[own["inputTokens"], own["outputTokens"], own["cachedReadTokens"], own["thoughtTokens"]]];
    return [quota ? [quota["input_tokens"], quota["output_tokens"], undefined, undefined] : null];
  });
}
