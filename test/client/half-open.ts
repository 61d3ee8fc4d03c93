/** A connection on which one direction vanishes without any error, and how long until the client is back on a new one. */
import { createLastingClient } from "../../src/client/index.ts";
import { connectThrough, openProxy, type Carrier } from "./carriers.ts";
import type { Direction, Fault } from "./chaos-proxy.ts";
import { judgeSends, judgeView, readLog, View, type Judgement } from "./check-view.ts";
import { openQuietScene, waitFor } from "./chaos-run.ts";
import type { ServedSession } from "./served-session.ts";
import { patient } from "../patience.ts";

export interface HalfOpen {
  readonly judgement: Judgement;
  readonly wrong: readonly string[];
  readonly reasons: readonly string[];
}

/** Short enough to wait for, and longer than a busy machine leaves an honest connection without a word. */
const WAITS = { openMs: patient(20_000), quietMs: 300, answerMs: patient(2_000) };
/** Enough for the greeting and the subscription, not for an answer to what comes then. */
const AFTER_BYTES = { up: 600, down: 3_000 };

export async function goHalfOpen(served: ServedSession, carrier: Carrier, direction: Direction): Promise<HalfOpen> {
  const fault: Fault = {
    kind: "half-open",
    direction,
    afterBytes: AFTER_BYTES[direction],
    trickleBytes: 0,
    pauseMs: 60_000,
    isPatient: true,
  };
  const faults = [fault];
  const proxy = await openProxy(carrier, served, () => faults.shift());
  const scene = await openQuietScene(served);
  const client = await createLastingClient(connectThrough(proxy, served), WAITS);
  const reasons: string[] = [];
  client.onState(({ state, reason }) => state === "offline" && reasons.push(reason.replaceAll(/\d+/g, "N")));
  const view = new View(scene.sessionId);
  try {
    await client.subscribe(scene.sessionId, { epoch: 0, seq: 0 }, (events) => view.apply(events), {
      onResync: (reason) => view.resyncs.push(reason),
    });
    const sent = ["m0", "m1", "m2", "m3"];
    for (const clientMessageId of sent) {
      const text = clientMessageId === "m3" ? "stream 40" : "hello";
      const ack = await client.command(scene.sessionId, { type: "send", text, clientMessageId });
      if (!ack.ok) throw new Error(`refused: ${ack.error.message}`);
    }
    const isDone = ({ events }: View) => events.filter(({ type }) => type === "turn_end").length === sent.length;
    await waitFor("the answers", () => isDone(scene.view));
    // No later event comes: what was lost has to be noticed in the silence.
    const { seq } = await scene.witness.snapshot(scene.sessionId);
    await waitFor("everything", () => view.lastSeq >= seq);
    const log = await readLog(served.dataDir, scene.sessionId);
    return { judgement: judgeView(view, log), wrong: judgeSends(sent, log), reasons };
  } finally {
    client.close();
    scene.close();
    await proxy.close();
  }
}
