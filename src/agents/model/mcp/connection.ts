/**
 * Connection to one configured MCP server, in the background, for the lifetime of its member.
 * Nobody waits for it; tools are known once listed and again when they change; a lost connection is re-established at
 * most `RECONNECTS_MAX` times a minute; nothing is left after `close`.
 */
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Tool,
  type CallToolResult,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../../kit/clock.ts";
import type { Json } from "../../../protocol/index.ts";
import { openTransport, type ServerContext } from "./open-transport.ts";
import { fillIn, type McpServer, type Environment } from "./server-config.ts";
import { SupervisedTransport } from "./supervised-transport.ts";

export type ConnectionState =
  | { readonly is: "connecting" }
  | { readonly is: "ready" }
  | { readonly is: "failed"; readonly why: string };

export interface McpCall {
  readonly args: Readonly<Record<string, Json>>;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly onProgress: (message: string) => void;
}

export interface ConnectionOptions extends ServerContext {
  readonly name: string;
  readonly server: McpServer;
  /** For the pauses between attempts; processes are limited by real time. */
  readonly clock: Clock;
}

const RECONNECTS_MAX = 3;
const WINDOW_MS = 60_000;
const PAUSE_MS = 1_000;
const CONNECT_MS = 30_000;
const TOOLS_MAX = 200;

export class McpConnection {
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #scrub: (text: string) => string;
  #client: Client | undefined;
  #state: ConnectionState = { is: "connecting" };
  #tools: readonly Tool[] = [];
  /** Tools beyond the limit. */
  #toolsLeftOut = 0;
  #reconnectsAtMs: number[] = [];
  #cancelPause: () => void = () => undefined;
  #connecting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** An unresponsive server must not hold up a member that leaves. */
  readonly #left = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.name = options.name;
    this.#scrub = createScrub(options.server, options.env);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get tools(): readonly Tool[] {
    return this.#state.is === "ready" ? this.#tools : [];
  }

  get toolsLeftOut(): number {
    return this.#toolsLeftOut;
  }

  /** Resolves when connected or failed. Never rejects. */
  connect(): Promise<void> {
    this.#connecting = this.#connect();
    return this.#connecting;
  }

  /** Rejects with a message for the model. */
  async call(tool: string, { args, signal, deadlineMs, onProgress }: McpCall): Promise<{ text: string; ok: boolean }> {
    const client = this.#client;
    if (client === undefined || this.#state.is !== "ready")
      throw new Error(`Tool server ${this.name} is not connected.`);
    try {
      const result = await client.callTool(
        { name: tool, arguments: { ...args } },
        {
          signal,
          timeout: deadlineMs,
          onprogress: ({ progress, total, message }) =>
            onProgress(this.#scrub(`${message ?? `${progress}${total === undefined ? "" : `/${total}`}`}\n`)),
        },
      );
      return { text: this.#scrub(resultText(result)), ok: result.isError !== true };
    } catch (error) {
      // HTTP servers do not announce their end; the first failed call does.
      if (!signal.aborted && !isAnswer(error)) void client.close().catch(() => undefined);
      throw new Error(`Tool server ${this.name} did not answer: ${this.#reason(error)}`, { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #connect(): Promise<void> {
    if (this.#closing !== undefined) return;
    this.#state = { is: "connecting" };
    let transport: ReturnType<typeof openTransport> | undefined;
    try {
      transport = openTransport(this.#options.server, this.#options);
      const client = this.#createClient();
      await client.connect(transport, { timeout: CONNECT_MS, signal: this.#left.signal });
      this.#setTools(await this.#listTools(client));
      // Only now: a connection lost earlier fails the listing; handling it here too would reconnect twice.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the protocol's client takes one listener, by assignment
      client.onclose = () => this.#lost(client);
      this.#client = client;
      this.#state = { is: "ready" };
    } catch (error) {
      const lastStderr = transport instanceof SupervisedTransport ? transport.lastStderr : "";
      this.#client = undefined;
      this.#state = { is: "failed", why: this.#reason(error, lastStderr) };
      await transport?.close().catch(() => undefined);
      // A missing program or address will not appear by retrying.
      if (transport !== undefined) this.#reconnectLater();
    }
  }

  /** A server without tools is not asked: the SDK would print a warning to stdout. */
  async #listTools(client: Client): Promise<readonly Tool[]> {
    if (client.getServerCapabilities()?.tools === undefined) return [];
    return (await client.listTools(undefined, { timeout: CONNECT_MS, signal: this.#left.signal })).tools;
  }

  #createClient(): Client {
    const { server } = this.#options;
    const isOld = "command" in server || server.isSse === true;
    return new Client(
      { name: "roundtable", title: "Roundtable", version: "1" },
      {
        // Some programs exit on an unknown request, so nothing is sent before the handshake.
        versionNegotiation: { mode: isOld ? "legacy" : "auto" },
        // The result is for the model to judge, whatever its declared schema.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
        listChanged: {
          tools: { onChanged: (error, tools) => error === null && tools !== null && this.#setTools(tools) },
        },
      },
    );
  }

  #setTools(tools: readonly Tool[]): void {
    this.#tools = tools.slice(0, TOOLS_MAX);
    this.#toolsLeftOut = Math.max(0, tools.length - TOOLS_MAX);
  }

  #lost(client: Client): void {
    if (this.#client !== client || this.#closing !== undefined) return;
    this.#client = undefined;
    this.#state = { is: "failed", why: "the connection was lost" };
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    const { clock } = this.#options;
    if (this.#closing !== undefined) return;
    const nowMs = clock.monotonic();
    this.#reconnectsAtMs = this.#reconnectsAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    const [oldestMs] = this.#reconnectsAtMs;
    const isSpent = this.#reconnectsAtMs.length >= RECONNECTS_MAX && oldestMs !== undefined;
    const pauseMs = isSpent ? oldestMs + WINDOW_MS - nowMs : PAUSE_MS * this.#reconnectsAtMs.length;
    this.#cancelPause = clock.after(pauseMs, () => {
      this.#reconnectsAtMs = [...this.#reconnectsAtMs, clock.monotonic()].slice(-RECONNECTS_MAX);
      void this.connect();
    });
  }

  async #shut(): Promise<void> {
    this.#cancelPause();
    this.#left.abort();
    const client = this.#client;
    await client?.close().catch(() => undefined);
    // A connection in progress is closed once it is established.
    await this.#connecting;
    await this.#client?.close().catch(() => undefined);
    this.#client = undefined;
    this.#tools = [];
  }

  #reason(error: unknown, lastStderr = ""): string {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    const message = `${error instanceof Error ? error.message : String(error)}${cause}`;
    const tail = lastStderr.trim().split("\n").at(-1) ?? "";
    return this.#scrub(tail === "" ? message : `${message}; stderr: ${tail}`).slice(0, REASON_CHARS_MAX);
  }
}

const REASON_CHARS_MAX = 1_000;

/** The server answered with an error or a timeout of the tool: it is still there. */
function isAnswer(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
}

// Result of an MCP tool as text; other content is named, not dropped silently.
function resultText({ content, structuredContent }: Pick<CallToolResult, "content" | "structuredContent">): string {
  const parts = content.map(partText).filter((text) => text !== "");
  // Structured results should be present as text too; some servers omit that.
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.length === 0 ? "(no content)" : parts.join("\n");
}

function partText(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${bytesOf(part.data)} bytes, not shown]`;
    case "resource_link":
      return `[resource ${part.name}: ${part.uri}]`;
    case "resource":
      return "text" in part.resource
        ? part.resource.text
        : `[resource ${part.resource.uri}, ${bytesOf(part.resource.blob)} bytes, not shown]`;
    default:
      return "[content of an unknown type, not shown]";
  }
}

/** Of base64 text. */
function bytesOf(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}

// Removes secrets of a server's configuration from text to be shown or logged.
/** A shorter value is not a secret, and removing it would garble text. */
const SECRET_CHARS_MIN = 6;

export function createScrub(server: McpServer, env: Environment): (text: string) => string {
  const secrets = valuesOf(server, env)
    .filter((value) => value.length >= SECRET_CHARS_MIN)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "•••"), text);
}

function valuesOf(server: McpServer, env: Environment): string[] {
  if ("command" in server) {
    const set = Object.values(server.values ?? {}).map((value) => tryFill(value, env));
    return [...(server.env ?? []).flatMap((name) => env[name] ?? []), ...set];
  }
  const headers = Object.values(server.headers ?? {}).flatMap((value) => {
    const filled = tryFill(value, env);
    // "Bearer x" is a secret as a whole and in its last word.
    return [filled, filled.split(/\s+/).at(-1) ?? ""];
  });
  const { username, password, search } = new URL(server.url);
  return [...headers, username, password, search, ...new URLSearchParams(search).values()];
}

function tryFill(value: string, env: Environment): string {
  try {
    return fillIn(value, env);
  } catch {
    // A variable is not set, so there is no secret.
    return value;
  }
}
