import { expect, test } from "vitest";
import type { Json } from "../../protocol/index.ts";
import type { Step } from "../../../test/session/scripted-agent.ts";
import { startSession } from "../../../test/session/session-run.ts";

/** A session with messages, calls and output, to be searched. */
async function search(args: Json, { clear = false } = {}): Promise<unknown> {
  const state = await startSession({
    ada: {
      script: (_input, turn) =>
        turn === 1 && !clear
          ? [
              { type: "text_delta", text: "The harbour is in the north." },
              { type: "tool_call_start", nativeId: "t", name: "read", args: { path: "harbour.txt" } },
              { type: "tool_result", nativeId: "t", ok: true, result: `${"x".repeat(500)} the Harbour log` },
            ]
          : [
              { type: "tool_call_start", nativeId: "s", name: "mcp__table__history_search", args },
              { type: "host_call", callId: "h", tool: "history_search", args },
              { untilAnswer: "h" },
              { type: "tool_result", nativeId: "s", ok: true, result: "harbour" },
            ],
    },
  });
  await state.send("where is the harbour?");
  if (clear) await state.command({ type: "clear" });
  await state.send("search");
  await state.send("search");
  return state.agents.last("ada").answers.at(-1)?.result;
}

test("a search finds messages, answers, calls and outputs with author, time and position, never other searches", async () => {
  const when = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
  expect(await search({ query: "HARBOUR" })).toEqual({
    error: null,
    result: {
      found: 4,
      shown: 4,
      matches: [
        { seq: expect.any(Number), when, by: "user", what: "message", excerpt: "where is the harbour?" },
        { seq: expect.any(Number), when, by: "ada", what: "answer", excerpt: "The harbour is in the north." },
        { seq: expect.any(Number), when, by: "ada", what: "call of read", excerpt: 'read {"path":"harbour.txt"}' },
        {
          seq: expect.any(Number),
          when,
          by: "ada",
          what: "output",
          excerpt: expect.stringMatching(/^…x+ the Harbour log$/),
        },
      ],
    },
  });
});

test("all words must occur; a speaker and a number of matches can be named, and one entry read whole", async () => {
  expect(await search({ query: "harbour north" })).toMatchObject({
    result: { found: 1, matches: [{ what: "answer" }] },
  });
  expect(await search({ query: "harbour", by: "user" })).toMatchObject({ result: { found: 1 } });
  expect(await search({ query: "harbour", limit: 1 })).toMatchObject({
    result: { found: 4, shown: 1, matches: [{ what: "output" }] },
  });
  const found = (await search({ query: "harbour log" })) as { result: { matches: { seq: number }[] } };
  const seq = found.result.matches[0]?.seq ?? 0;
  expect(await search({ seq })).toMatchObject({ result: { seq, text: `${"x".repeat(500)} the Harbour log` } });
  expect(await search({ seq: 99_999 })).toEqual({ result: null, error: "There is nothing to read at seq 99999." });
});

test("a member finds messages of others, but not the output of their tools", async () => {
  const state = await startSession({
    ada: {
      script: () => [
        { type: "text_delta", text: "The harbour." },
        { type: "tool_call_start", nativeId: "t", name: "read", args: { path: "harbour" } },
        { type: "tool_result", nativeId: "t", ok: true, result: "harbour" },
      ],
    },
    bob: {
      script: () => [
        { type: "host_call", callId: "h", tool: "history_search", args: { query: "harbour" } },
        { untilAnswer: "h" },
      ],
    },
  });
  await state.send("look", { to: ["ada"] });
  await state.send("search", { to: ["bob"] });
  expect(state.agents.last("bob").answers).toMatchObject([
    { result: { result: { found: 1, matches: [{ by: "ada", what: "answer" }] } } },
  ]);
});

test("cleared entries are not found", async () => {
  expect(await search({ query: "where" }, { clear: true })).toMatchObject({ result: { found: 0 } });
});

test("retracted text is neither found nor read", async () => {
  let seq = 0;
  const entry: Step[] = [
    { type: "text_delta", text: "The harbour is in the " },
    { type: "tool_call_start", nativeId: "t", name: "read", args: {} },
    { type: "text_delta", text: "harbour." },
    { type: "text_retracted" },
    { type: "text_delta", text: "The harbour burnt down." },
    { type: "text_done" },
  ];
  const searched = (args: Json): Step[] => [
    { type: "host_call", callId: "h", tool: "history_search", args },
    { untilAnswer: "h" },
  ];
  const script = (_input: unknown, turn: number): Step[] =>
    turn === 1 ? entry : searched(turn === 2 ? { query: "harbour", by: "ada", limit: 1 } : { seq });
  const state = await startSession({ ada: { script } });
  for (const text of ["look", "search", "read"]) {
    await state.send(text);
    seq = state.events("text_done")[0]?.seq ?? 0;
  }
  expect(state.agents.last("ada").answers.map(({ result }) => result)).toMatchObject([
    { result: { found: 1, shown: 1, matches: [{ excerpt: "The harbour burnt down." }] } },
    { error: `There is nothing to read at seq ${seq}.` },
  ]);
});
