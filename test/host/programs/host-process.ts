/**
 * A process with a host and one client of it, driven by JSON lines on stdin: `{id, do, …}` is answered with
 * `{id, ok, …}`, and every event that the client is handed goes out as `{sessionId, events}`.
 * Usage: host-process.ts DATA_DIR [UMASK]
 */
import { createClient, createConnectionPair, type Client } from "../../../src/client/index.ts";
import { createHost } from "../../../src/host/index.ts";
import { createJsonLineReader, toJsonLine } from "../../../src/kit/io/json-lines.ts";
import { toAnswerError, type Cursor } from "../../../src/protocol/index.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../scripted-agent.ts";

interface Order {
  id: number;
  do: "create" | "subscribe" | "send" | "interrupt" | "list" | "snapshot" | "memory" | "close";
  sessionId: string;
  cursor: Cursor;
  text: string;
  clientMessageId: string;
}

const dataDir = process.argv[2] ?? "";
if (process.argv[3] !== undefined) process.umask(Number.parseInt(process.argv[3], 8));
const host = await createHost({ dataDir, agentFactory: createScriptedAgent, version: "0.0.0-test" });
const client = await createClient(async () => {
  const [near, far] = createConnectionPair();
  host.serve(far);
  return near;
});

function send(value: unknown): void {
  process.stdout.write(toJsonLine(value));
}

async function obey(order: Order, using: Client): Promise<unknown> {
  const { sessionId } = order;
  switch (order.do) {
    case "create":
      return using.create({ cwd: dataDir, title: "test", settings: SETTINGS, members: [ECHO] });
    case "subscribe": {
      const { head } = await using.subscribe(sessionId, order.cursor, (events) => send({ sessionId, events }), {
        onResync: (reason) => send({ sessionId, resync: reason }),
      });
      return head;
    }
    case "send": {
      const { text, clientMessageId } = order;
      return using.command(sessionId, { type: "send", text, clientMessageId });
    }
    case "interrupt":
      return using.command(sessionId, { type: "interrupt", scope: "all" });
    case "list":
      return using.list();
    case "snapshot":
      return using.snapshot(sessionId);
    case "memory": {
      globalThis.gc?.();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return { bytes: heapUsed + external + arrayBuffers };
    }
    case "close":
      return host.close().then(() => ({}));
    default:
      throw new Error(`unknown order ${String(order.do)}`);
  }
}

const reader = createJsonLineReader({
  onValue(value) {
    const order = value as Order;
    obey(order, client).then(
      (result) => {
        send({ id: order.id, result });
        if (order.do === "close") process.stdin.destroy();
      },
      (error: unknown) => send({ id: order.id, error: toAnswerError(error) }),
    );
  },
  onBad: (line) => send({ bad: line }),
});
process.stdin.on("data", (chunk: Uint8Array) => reader.push(chunk));
process.stdin.on("end", () => void host.close());
send({ ready: true, pid: process.pid, socketPath: host.socketPath });
