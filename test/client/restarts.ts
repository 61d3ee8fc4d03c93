/**
 * The process that holds the session is killed at random moments of a stream, with messages on their way, and started
 * again on the same data directory. One client over each carrier goes through all of it.
 */
import {
  connectSocket,
  createClient,
  createLastingClient,
  type Client,
  type LastingClient,
} from "../../src/client/index.ts";
import { createRandom } from "../log/seeded-random.ts";
import { carriers, connectThrough, openProxy } from "./carriers.ts";
import { judgeSends, judgeView, readLog, View, type Judgement } from "./check-view.ts";
import { newSession, persist, retryEarly, SHORT_WAITS, waitFor } from "./chaos-run.ts";
import { ServedSession } from "./served-session.ts";

const BEGINNING = { epoch: 0, seq: 0 };

export interface Restarts {
  readonly epochs: number;
  readonly refused: number;
  readonly judgements: readonly Judgement[];
  readonly wrong: readonly string[];
}

interface Guest {
  readonly client: LastingClient;
  readonly view: View;
}

export async function restartOften({ kills, seed }: { kills: number; seed: number }): Promise<Restarts> {
  const random = createRandom(seed);
  const served = await ServedSession.start();
  const proxies = await Promise.all(carriers.map((carrier) => openProxy(carrier, served)));
  const clients = await Promise.all(
    proxies.map((proxy) => {
      const options = { random: retryEarly(random), ...SHORT_WAITS };
      return persist(() => createLastingClient(connectThrough(proxy, served), options));
    }),
  );
  const { sessionId } = await patiently(served, (client) => client.create(newSession(served)));
  const guests = await Promise.all(clients.map((client) => startAgent(client, sessionId)));
  const sent: string[] = [];
  let refused = 0;
  const send = async (guest: Guest, text: string): Promise<void> => {
    const clientMessageId = `m${sent.length}`;
    sent.push(clientMessageId);
    const ack = await guest.client.command(sessionId, { type: "send", text, clientMessageId });
    if (!ack.ok) refused += 1;
  };
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const prepared = served.prepareNext();
      const [first] = guests;
      const answers = guests.map((guest) => send(guest, "stream 2000"));
      const enough = first!.view.lastSeq + Math.floor(random() * 300);
      await waitFor(`the stream, seq ${enough}`, () => first!.view.lastSeq > enough).catch((error: unknown) => {
        throw new Error(JSON.stringify(guests.map(report)), { cause: error });
      });
      await prepared;
      answers.push(...guests.map((guest) => send(guest, "and this")));
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 5));
      await served.kill();
      await served.startAgain();
      await Promise.all(answers);
    }
    const { seq } = await patiently(served, async (client) => {
      await client.command(sessionId, { type: "interrupt", scope: "all" });
      return client.snapshot(sessionId);
    });
    await waitFor("the last event", () => guests.every(({ view }) => view.lastSeq >= seq));
    const log = await readLog(served.dataDir, sessionId);
    const epochs = new Set(log.map((event) => event.epoch)).size;
    return {
      epochs,
      refused,
      judgements: guests.map(({ view }) => judgeView(view, log)),
      wrong: judgeSends(sent, log),
    };
  } finally {
    for (const { client } of guests) client.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await served.close();
  }
}

/** What is not asked twice goes over a connection that nobody gives up, however busy the machine is. */
async function patiently<T>(served: ServedSession, ask: (client: Client) => Promise<T>): Promise<T> {
  const client = await createClient(() => connectSocket(served.doors.socketPath));
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

function report({ client, view }: Guest) {
  return { ...client.state, lastSeq: view.lastSeq, resyncs: view.resyncs };
}

async function startAgent(client: LastingClient, sessionId: string): Promise<Guest> {
  const view = new View(sessionId);
  await client.subscribe(sessionId, BEGINNING, (events) => view.apply(events), {
    onResync: (reason) => view.resyncs.push(reason),
  });
  return { client, view };
}
