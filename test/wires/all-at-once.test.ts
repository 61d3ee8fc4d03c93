/** Every wire at once on one session: each takes part in it, and what each shows is the same conversation. */
import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning } from "../../src/transcript/index.ts";
import { until } from "../host/open-host.ts";
import { patient } from "../patience.ts";
import { ofTranscript } from "./at-once/conversation.ts";
import { openEveryWire, type EveryWire } from "./at-once/every-wire.ts";
import { count, type Participant } from "./at-once/participant.ts";

let at: EveryWire;
beforeAll(async () => {
  at = await openEveryWire();
  await talk();
});
afterAll(async () => {
  await at.close();
  rmSync(at.cwd, { recursive: true, force: true });
});

/** Nothing runs or waits, and this many turns have ended. */
async function rests(turns: number): Promise<void> {
  await until(`${turns} turns to have ended`, () => at.of("turn_end").length >= turns);
  await until("rest", () => !isRunning(at.transcript().head) && at.transcript().head.queue.length === 0);
}

async function all(key: "seesQuestion" | "seesQueued" | "seesAnswered"): Promise<void> {
  for (const participant of at.participants.values()) await participant[key]?.();
}

async function talk(): Promise<void> {
  // Our own client is the last: it can do whatever no other can.
  const everybody: Participant[] = [...at.participants.values(), at.own];
  const [senders, stoppers] = [everybody.filter((one) => one.send), everybody.filter((one) => one.stop)];
  let sent = 0;
  const send = async (text: string) => senders[sent++ % senders.length]?.send?.(text);
  const stop = async (times: number) => stoppers[times % stoppers.length]?.stop?.();

  await at.own.send?.("say hello to everybody");
  await rests(2);
  await send("@ling tools");
  await rests(3);

  // A question, answered by another client than the one that asked, while a message waits for its turn.
  await send("@ling ask");
  await all("seesQuestion");
  await everybody.find((one) => one.queue)?.queue?.("@ling say later");
  await all("seesQueued");
  await everybody.find((one) => one.answer)?.answer?.();
  await all("seesAnswered");
  await rests(5);

  await send("@ling approve");
  await everybody.find((one) => one.allow)?.allow?.();
  await rests(6);

  // Stopped in a text, stopped in a call, failed.
  await send("@ling hold");
  await until("the text", () => at.of("text_delta").some(({ text }) => text.includes("wait")));
  await stop(0);
  await rests(7);
  await send("@ling hold-tool");
  await until("the call", () => at.of("tool_call_start").some((call) => call.name === "bash"));
  await stop(1);
  await rests(8);
  await send("@ling fail");
  await rests(9);

  // One that somebody writes into files beside the session, behind all that was said before.
  await everybody.find((one) => one.write)?.write?.("coder", "say read in the thread");
  await rests(10);
}

test("every wire at once shows the same conversation: who said what, which tools were used, how each came out", async () => {
  const whole = ofTranscript(at.transcript());
  for (const [edge, participant] of at.participants) {
    const expected = participant.expressible?.(whole) ?? whole;
    const differing = async () =>
      ((await participant.views?.()) ?? []).filter((one) => !isDeepStrictEqual(one, expected));
    await expect.poll(differing, { timeout: patient(20_000), message: edge }).toEqual([]);
  }
  expect(whole).toEqual({
    user: [
      { text: "say hello to everybody" },
      { text: "tools" },
      { text: "ask" },
      { text: "say later" },
      { text: "approve" },
      { text: "hold" },
      { text: "hold-tool" },
      { text: "fail" },
      { text: "say read in the thread" },
    ],
    ling: [
      { text: "hello to everybody I look first." },
      { tool: "Read", state: "done" },
      { tool: "Bash", state: "failed" },
      { text: 'The answer is 42. You said {"colour":"blue"}. later' },
      { tool: "Edit", state: "done" },
      { text: "Edited. I wait" },
      { tool: "bash", state: "failed" },
      { text: "Half of" },
    ],
    coder: [{ text: "hello to everybody read in the thread" }],
  });
});

test("every wire that has a form for it says of as many turns that they were stopped, and that one failed", async () => {
  const ended = at.of("turn_end").map(({ outcome }) => outcome);
  expect([count(ended, "interrupted"), count(ended, "errored")]).toEqual([2, 1]);
  for (const participant of at.participants.values()) await participant.expectEndings?.(2, 1);
});
