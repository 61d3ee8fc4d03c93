import { expect, test } from "vitest";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import type { AgentEvent } from "../../agents/index.ts";
import type { UiRequestBody } from "../../protocol/index.ts";
import { copyOf, SeqMap } from "../fork/events.ts";

const question: UiRequestBody = { method: "confirm", title: "Let it work?", message: "" };
const pretended: UiRequestBody = { ...question, opts: { consent: "unguarded", other: 1 } };
type Asked = Omit<Extract<AgentEvent, { type: "request" }>, "type" | "callId">;
const asking = (asked: Asked): Record<string, Behaviour> => ({
  ada: {
    script: (_input, turn) => [{ type: "request", callId: `q${turn}`, ...asked }, { untilAnswer: `q${turn}` }],
  },
});
const own: Asked = { consent: "unguarded", request: question };

async function answered(state: SessionRun, result: boolean): Promise<boolean> {
  await state.send("go");
  const requestId = state.events("ui_request").at(-1)?.requestId ?? "";
  await state.command({ type: "answer", requestId, result });
  await settle();
  return state.agents.last("ada").setup.hasAgreed?.() ?? false;
}

test("consent to Roundtable's own question is remembered, also after a restart; a refusal is not", async () => {
  const state = await startSession(asking(own));
  expect(await answered(state, false)).toBe(false);
  expect(await answered(state, true)).toBe(true);
  const again = await state.reopen();
  await again.send("more");
  expect(again.agents.last("ada").setup.hasAgreed?.()).toBe(true);
});

test("an agent's own request labelled as a consent grants nothing", async () => {
  const state = await startSession(asking({ request: pretended }));
  expect(await answered(state, true)).toBe(false);
  expect(state.events("ui_request")[0]?.request.opts).toEqual({ other: 1 });
});

test("a fork asks again", async () => {
  const state = await startSession(asking(own));
  await answered(state, true);
  const [request] = state.events("ui_request");
  const place = { seqs: new SeqMap(), compactions: new Map(), inLog: new Set<string>() };
  expect(request?.request.opts).toEqual({ consent: "unguarded" });
  expect(request === undefined ? undefined : copyOf(request, place)).toMatchObject({ request: { opts: {} } });
});
