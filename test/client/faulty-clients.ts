/**
 * Clients with a defect each, for proving that the judges of the others can find one: they resume beside their cursor,
 * or give a repeated message a new id.
 */
import { createClient } from "../../src/client/index.ts";
import { connectThrough, openProxy } from "./carriers.ts";
import { judgeSends, judgeView, readLog, View, type Judgement } from "./check-view.ts";
import { openQuietScene, openScene, waitFor } from "./chaos-run.ts";
import type { ServedSession } from "./served-session.ts";

const CUTS = 5;

/** `skew` is added to the seq from which it resumes. */
export async function followWithDefect(served: ServedSession, skew: number): Promise<Judgement> {
  const proxy = await openProxy("socket", served);
  const scene = await openScene(served);
  const view = new View(scene.sessionId);
  try {
    for (let cut = 0; cut < CUTS; cut += 1) {
      const client = await createClient(connectThrough(proxy, served));
      const from = { epoch: cut === 0 ? 0 : 1, seq: cut === 0 ? 0 : view.lastSeq + skew };
      await waitFor("the place to resume from", () => scene.view.lastSeq >= from.seq);
      await client.subscribe(scene.sessionId, from, (events) => view.apply(events));
      const enough = view.lastSeq + 50;
      await waitFor("some events", () => view.lastSeq > enough);
      const closed = new Promise<void>((resolve) => client.onClose(() => resolve()));
      proxy.cutAll();
      await closed;
    }
    await scene.finish();
    return judgeView(view, await readLog(served.dataDir, scene.sessionId));
  } finally {
    scene.close();
    await proxy.close();
  }
}

/** What the judge says of a client that repeats its message under `secondId`. */
export async function sendWithDefect(served: ServedSession, secondId: string): Promise<string[]> {
  const scene = await openQuietScene(served);
  const { witness, sessionId } = scene;
  try {
    for (const clientMessageId of ["m0", secondId]) {
      await witness.command(sessionId, { type: "send", text: "once", clientMessageId });
    }
    return judgeSends(["m0"], await readLog(served.dataDir, sessionId));
  } finally {
    scene.close();
  }
}
