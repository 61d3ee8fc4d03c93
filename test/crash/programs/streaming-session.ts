/**
 * A session whose members stream without pause, to be killed at any moment: `streaming-session.ts DATA SESSION`.
 * Prints every event when it is heard, one JSON line each, in the pipe before the next is heard.
 */
import { writeSync } from "node:fs";
import type { Agent, AgentEvent } from "../../../src/agents/index.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { openFileLog } from "../../../src/log/index.ts";
import { createSession, openSession } from "../../../src/session/index.ts";

const [dataDir = "", sessionId = ""] = process.argv.slice(2);
const MEMBERS = ["ada", "brook", "cole"];

/** Speaks, calls tools and never stops by itself. */
function restlessAgent(): Agent {
  let timer: NodeJS.Timeout | undefined;
  let up: (event: AgentEvent) => void = () => undefined;
  let turnId: string | undefined;
  let step = 0;
  function speak(): void {
    for (let word = 0; word < 4; word++) up({ type: "text_delta", text: `word ${step++} of 2 🙂 \n` });
    if (step % 60 === 0) up({ type: "tool_call_start", nativeId: `n${step}`, name: "read", args: { step } });
    if (step % 60 === 20) up({ type: "tool_result", nativeId: `n${step - 20}`, ok: true, result: "x".repeat(3_000) });
  }
  return {
    capabilities: { steer: false, keepsContext: true, tools: true, requests: false, images: false, switchModel: false },
    start(listener) {
      up = listener;
      return Promise.resolve();
    },
    send(input) {
      if (input.kind === "steer") return;
      turnId = input.turnId;
      timer = setInterval(speak, 1);
    },
    interrupt() {
      clearInterval(timer);
      if (turnId !== undefined) up({ type: "turn_done", turnId, outcome: "interrupted" });
      turnId = undefined;
    },
    answer: () => undefined,
    close() {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

const log = await openFileLog({ dataDir, sessionId });
const isNew = log.committedSeq === 0;
log.follow(log.committedSeq, (events) => {
  for (const event of events) writeSync(1, `${JSON.stringify(event)}\n`);
});
const options = { log, agentFactory: restlessAgent, clock: systemClock };
const limits = { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 };
const session = isNew
  ? await createSession({
      ...options,
      cwd: dataDir,
      title: "restless",
      settings: {
        mode: "broadcast",
        auto_rounds: 0,
        timeout: 600,
        request_timeout: 300,
        order: MEMBERS,
        limits,
        writable: false,
        preamble: "Advise.",
      },
      members: MEMBERS.map((name) => ({ name, kind: "embedded" as const })),
    })
  : await openSession(options);
const ack = await session.command(
  { type: "send", commandId: newId(), clientMessageId: newId(), text: "go on" },
  "killer",
);
writeSync(1, `${JSON.stringify({ ack })}\n`);
