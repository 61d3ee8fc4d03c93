/**
 * Messages whose acknowledgement never arrives: what the host says vanishes, the message goes out, and the connection is
 * cut, sometimes after the message is in the log and sometimes before.
 */
import { createLastingClient } from "../../src/client/index.ts";
import { createRandom } from "../log/seeded-random.ts";
import { connectThrough, openProxy, type Carrier } from "./carriers.ts";
import { judgeSends, readLog } from "./check-view.ts";
import { openQuietScene, persist, retryEarly, SHORT_WAITS, waitFor } from "./chaos-run.ts";
import type { ServedSession } from "./served-session.ts";

/** Too long for an event: such a text is stored by itself first, and the repeat can come meanwhile. */
const LONG_TEXT = "long ".repeat(60_000);

export interface LostAnswers {
  /** Messages that were in the log when their answer was lost. */
  readonly committed: number;
  readonly refused: number;
  readonly wrong: readonly string[];
}

export interface LostAnswersOptions {
  readonly served: ServedSession;
  readonly carrier: Carrier;
  readonly count: number;
  readonly seed: number;
}

export async function loseAnswers({ served, carrier, count, seed }: LostAnswersOptions): Promise<LostAnswers> {
  const random = createRandom(seed);
  const proxy = await openProxy(carrier, served);
  const scene = await openQuietScene(served);
  const options = { random: retryEarly(random), ...SHORT_WAITS };
  const client = await persist(() => createLastingClient(connectThrough(proxy, served), options));
  const sent: string[] = [];
  let committed = 0;
  let refused = 0;
  try {
    for (let at = 0; at < count; at += 1) {
      const clientMessageId = `m${at}`;
      const text = at % 10 === 9 ? LONG_TEXT : `message ${at}`;
      const isIn = () => scene.view.clientMessageIds.has(clientMessageId);
      sent.push(clientMessageId);
      proxy.isDownLost = true;
      const answer = client.command(scene.sessionId, { type: "send", text, clientMessageId });
      if (random() < 0.5) await waitFor("the message in the log", isIn);
      else await new Promise((resolve) => setTimeout(resolve, random() * 4));
      if (isIn()) committed += 1;
      proxy.cutAll();
      proxy.isDownLost = false;
      if (!(await answer).ok) refused += 1;
    }
    return { committed, refused, wrong: judgeSends(sent, await readLog(served.dataDir, scene.sessionId)) };
  } finally {
    client.close();
    scene.close();
    await proxy.close();
  }
}
