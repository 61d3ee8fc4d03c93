/** Recordings of the real program, replayed: their events as reviewed, and what must be true of every one of them. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { DialectEvent } from "../../../src/agents/process/dialect.ts";
import { readable, replay, type Fields, type Replayed } from "./replay.ts";

const TRACES = path.join(import.meta.dirname, "..", "traces", "claude");
const GOLDEN = path.join(import.meta.dirname, "..", "golden", "claude");

const names = readdirSync(TRACES)
  .filter((name) => name.endsWith(".jsonl"))
  .sort();

test("the recordings are there", () => {
  expect(names.length).toBeGreaterThan(30);
});

describe.each(names)("%s", (name) => {
  const isWritable = !/read-only|question|table-tools/.test(name);
  const played = replay(path.join(TRACES, name), { isWritable });

  test("becomes the events that were reviewed", async () => {
    const golden = path.join(GOLDEN, name.replace(".io.jsonl", ".jsonl"));
    await expect(readable(played.events)).toMatchFileSnapshot(golden);
  });

  test("every turn that the program ends is over once, with its final text", () => {
    expect(ends(played).length).toBe(isCutShort(played) ? played.turnsSent - 1 : played.turnsSent);
    const results = ofType(played, "result");
    const last = results.at(-1);
    if (last === undefined) return;
    const end = ends(played).at(-1);
    const shown = shownTexts(ofLastTurn(played.events)).at(-1) ?? "";
    // An answer that ends with a thought has no last word for the program.
    if (end?.outcome === "completed" && last["result"] !== "") expect(shown).toBe(last["result"]);
    if (end?.outcome === "errored") expect(end.error?.message).toBe(last["result"]);
  });

  test("what is shown as text is the texts of the records, in their order, and nothing else", () => {
    const gone = new Set(
      played.records.flatMap(
        ({ record }) => (record["supersedes"] ?? record["retracted_message_uuids"] ?? []) as string[],
      ),
    );
    const told = ofType(played, "assistant").flatMap((record) => {
      const message = record["message"] as Fields;
      const isOurs = record["parent_tool_use_id"] === null && message["model"] !== "<synthetic>";
      return isOurs && !gone.has(String(record["uuid"]))
        ? (message["content"] as Fields[]).flatMap((block) => block["text"] ?? [])
        : [];
    });
    expect(shownTexts(played.events)).toEqual(isCutShort(played) ? expect.arrayContaining(told) : told);
  });

  test("every tool call begins once and has one result", () => {
    const called = ofType(played, "assistant")
      .filter((record) => record["parent_tool_use_id"] === null)
      .flatMap((record) => (record["message"] as Fields)["content"] as Fields[])
      .filter((block) => String(block["type"]).endsWith("tool_use"))
      .map((block) => String(block["id"]));
    expect(played.events.flatMap((event) => (event.type === "tool_call_start" ? event.nativeId : []))).toEqual(called);
    const settled = played.events.flatMap((event) => (event.type === "tool_result" ? event.nativeId : []));
    if (isCutShort(played)) expect(called).toEqual(expect.arrayContaining(settled));
    else expect(settled.sort()).toEqual(called.sort());
    expect(new Set(settled).size).toBe(settled.length);
  });

  test("tokens and money of the turns add up to what the program counted", () => {
    const results = ofType(played, "result");
    const usages = ends(played).map((end) => end.usage);
    const sum = (pick: (usage: NonNullable<(typeof usages)[number]>) => number | undefined): number =>
      usages.reduce((total, usage) => total + (usage === undefined ? 0 : (pick(usage) ?? 0)), 0);
    const counted = (key: string): number =>
      results.reduce((total, result) => total + Number((result["usage"] as Fields)[key]), 0);
    expect([sum((usage) => usage.inputTokens), sum((usage) => usage.outputTokens)]).toEqual([
      counted("input_tokens"),
      counted("output_tokens"),
    ]);
    const spent = results.flatMap((result) => Object.values(result["model_usage_since_last_result"] as Fields));
    const costUsd = spent.reduce<number>((total, one) => total + Number((one as Fields)["costUSD"]), 0);
    expect(sum((usage) => usage.costUsd)).toBeCloseTo(costUsd, 9);
  });
});

/** The program was killed before it could tell the end of its turn, which is then its supervisor's to tell. */
function isCutShort({ records }: Replayed): boolean {
  const asked = records.findLastIndex(
    ({ dir, record }) => dir === "in" && record["type"] === "user" && record["priority"] === undefined,
  );
  return records.findLastIndex(({ record }) => record["type"] === "result") < asked;
}

function ofType({ records }: Replayed, type: string): Fields[] {
  return records.flatMap(({ dir, record }) => (dir === "out" && record["type"] === type ? [record] : []));
}

function ends({ events }: Replayed): Extract<DialectEvent, { type: "turn_over" }>[] {
  return events.filter((event) => event.type === "turn_over");
}

function ofLastTurn(events: readonly DialectEvent[]): readonly DialectEvent[] {
  const isEnd = ({ type }: DialectEvent): boolean => type === "turn_over";
  const before = events.slice(0, events.findLastIndex(isEnd)).findLastIndex(isEnd);
  return events.slice(before + 1);
}

/** As a session would show it: a piece goes on, a whole replaces its pieces, what is taken back is gone. */
function shownTexts(events: readonly DialectEvent[]): string[] {
  const texts: string[] = [];
  let open: string | undefined;
  for (const event of events) {
    if (event.type === "text_delta") open = (open ?? "") + event.text;
    if (event.type === "text_done") {
      if (open !== undefined) texts.push(event.text ?? open);
      open = undefined;
    }
    if (event.type === "text_retracted" && open === undefined) texts.pop();
    if (event.type === "text_retracted") open = undefined;
  }
  if (open !== undefined) texts.push(open);
  return texts;
}
