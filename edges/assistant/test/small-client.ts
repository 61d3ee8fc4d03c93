/** A client of assistant, written from its format alone. */
import { once } from "node:events";
import { WebSocket } from "ws";
import { foldEvents, foldFrames, type Shown } from "./fold-chat.ts";
import { ChatEvent, ServerFrame } from "./frame-schemas.ts";
import { patient } from "../../../test/patience.ts";

const WAIT_MS = patient(20_000);

export interface Door {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OperationAnswer {
  readonly status: number;
  readonly body: { ok?: boolean; result?: never; error?: unknown; code?: string };
}

export async function operate(door: Door, name: string, args: unknown, plugin = "sessions"): Promise<OperationAnswer> {
  const response = await fetch(`${door.url}/api/plugins/${plugin}/operations/${name}`, {
    method: "POST",
    headers: { ...door.headers, "content-type": "application/json" },
    body: typeof args === "string" ? args : JSON.stringify(args),
  });
  return { status: response.status, body: (await response.json()) as OperationAnswer["body"] };
}

export async function create(door: Door, agentId: string, sessionId?: string): Promise<string> {
  const { body } = await operate(door, "create", { agentId, sessionId });
  return (body.result as unknown as { sessionId: string }).sessionId;
}

export async function loadEvents(door: Door, sessionId: string, after?: string): Promise<ChatEvent[]> {
  const { body } = await operate(door, "events", { sessionId, after });
  const { events } = body.result as unknown as { events: unknown[] };
  return events.map((event) => ChatEvent.parse(event));
}

export async function reload(door: Door, sessionId: string): Promise<Shown> {
  return foldEvents(await loadEvents(door, sessionId));
}

export class SmallClient {
  readonly frames: ServerFrame[] = [];
  closedWith: number | undefined;
  readonly socket: WebSocket;
  #wake: () => void = () => {};

  constructor(door: Door) {
    this.socket = new WebSocket(`${door.url.replace("http", "ws")}/ws`, { headers: door.headers });
    this.socket.on("message", (data: Buffer) => {
      this.frames.push(ServerFrame.parse(JSON.parse(data.toString())));
      this.#wake();
    });
    this.socket.on("close", (code) => {
      this.closedWith = code;
      this.#wake();
    });
  }

  static async open(door: Door, subscriptions?: readonly string[]): Promise<SmallClient> {
    const client = new SmallClient(door);
    await once(client.socket, "open");
    if (subscriptions === undefined) return client;
    client.say({ type: "hello", protocolVersion: 2, subscriptions });
    for (const sessionId of subscriptions) await client.sees({ type: "session_ready", sessionId });
    return client;
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === "string" || frame instanceof Buffer ? frame : JSON.stringify(frame));
  }

  /** The first frame from `from` on with these fields; chat events are matched by their own. */
  sees(fields: Record<string, unknown>, from = 0): Promise<number> {
    return this.until(() => {
      const at = this.frames.slice(from).findIndex((frame) => matches(frame, fields));
      return at === -1 ? undefined : from + at;
    }, JSON.stringify(fields));
  }

  seesChat(fields: Record<string, unknown>, from = 0): Promise<number> {
    return this.sees({ type: "chat_event", event: fields }, from);
  }

  async closes(): Promise<number> {
    return this.until(() => this.closedWith, "the close");
  }

  async until<T>(test: () => T | undefined, what: string): Promise<T> {
    const endMs = Date.now() + WAIT_MS;
    for (;;) {
      const found = test();
      if (found !== undefined) return found;
      const leftMs = endMs - Date.now();
      if (leftMs <= 0)
        throw new Error(`not seen: ${what}\n${this.types().join("\n")}\n${JSON.stringify(this.errors())}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, leftMs);
      await promise;
      clearTimeout(timer);
    }
  }

  /**
   * Received frames in short: legacy frames by type, chat events with a plus. Without new titles, which arrive at any
   * time.
   */
  types(from = 0, to = this.frames.length): string[] {
    return this.frames
      .slice(from, to)
      .filter((frame) => frame.type !== "session_updated" || frame.name === undefined)
      .map((frame) => (frame.type === "chat_event" ? `+${frame.event.type}` : frame.type));
  }

  errors(): ServerFrame[] {
    return this.frames.filter(({ type }) => type === "error");
  }

  shown(): Shown {
    return foldFrames(this.frames);
  }

  close(): void {
    this.socket.terminate();
  }
}

function matches(value: unknown, fields: unknown): boolean {
  if (typeof fields !== "object" || fields === null) return value === fields;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(fields).every(([key, field]) => matches((value as Record<string, unknown>)[key], field));
}
