/** A server with one session whose member streams as fast as requested. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Target } from "./fan-out-clients.ts";
import { rooms } from "./product.ts";
import { NO_CAPABILITIES } from "../../src/protocol/index.ts";
import { SETTINGS } from "./session-drafts.ts";

type Rooms = Awaited<ReturnType<typeof rooms>>;
type Agent = ReturnType<Parameters<Rooms["createHost"]>[0]["agentFactory"]>;
type Up = Parameters<Agent["start"]>[0];
export type Carrier = "sse" | "ws";

export interface Table {
  /** A client that starts at the head, as after a snapshot. */
  target(carrier: Carrier): Promise<Target>;
  readonly port: number;
  readonly token: string;
  readonly sessionId: string;
  /** Sends a message; `onTurn` is the member's answer. */
  say(text: string): Promise<void>;
  remove(): void;
}

const MEMBER = { name: "metronome", kind: "embedded" } as const;
export async function openTable(onTurn: (up: Up, turnId: string) => void): Promise<Table> {
  const { createHost, startServer } = await rooms();
  const directory = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  const host = await createHost({
    dataDir: path.join(directory, "data"),
    version: "0.0.0-bench",
    agentFactory: () => createMetronome(onTurn),
  });
  const defaults = { cwd: directory, settings: { ...SETTINGS, order: [MEMBER.name] }, members: [MEMBER] };
  const { url, token } = await startServer({ host, pageFiles: [], defaults, port: 0 });
  const post = async (target: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${target}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${target}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { sessionId: string };
  };
  const { sessionId } = await post("/v1/sessions", {});
  const port = Number(new URL(url).port);
  let said = 0;
  return {
    port,
    token,
    sessionId,
    async say(text) {
      const id = `m${(said += 1)}`;
      await post(`/v1/sessions/${sessionId}/commands`, { type: "send", commandId: id, text, clientMessageId: id });
    },
    async target(carrier) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/v1/sessions/${sessionId}`, { headers });
      const { seq } = (await answer.json()) as { seq: number };
      return targetOf({ carrier, port, token, sessionId, seq });
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function createMetronome(onTurn: (up: Up, turnId: string) => void): Agent {
  let up: Up = () => {};
  return {
    capabilities: NO_CAPABILITIES,
    start: async (to) => void (up = to),
    send: (input) => void (input.kind === "turn" && onTurn(up, input.turnId)),
    interrupt() {},
    answer() {},
    close: async () => {},
  };
}

interface Place {
  readonly carrier: Carrier;
  readonly port: number;
  readonly token: string;
  readonly sessionId: string;
  readonly seq: number;
}

export function targetOf({ carrier, port, token, sessionId, seq }: Place): Target {
  const authorization = `Authorization: Bearer ${token}`;
  if (carrier === "sse") {
    const head = requestHead(port, `/v1/sessions/${sessionId}/events?after=${seq}`, [authorization]);
    return { port, head, frames: [] };
  }
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  const hello = JSON.stringify({ frame: "hello", protocol: 1, clientId: "bench" });
  const subscribe = JSON.stringify({ frame: "subscribe", id: "s", sessionId, cursor: { epoch: 1, seq } });
  return { port, head: requestHead(port, "/v1/ws", [authorization, ...upgrade, key]), frames: [hello, subscribe] };
}

export function requestHead(port: number, target: string, more: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more, "", ""].join("\r\n");
}
