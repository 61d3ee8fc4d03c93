/**
 * Tools of all configured MCP servers, for one member. A server that is not connected offers nothing and delays nobody;
 * that is reported once.
 */
import type { Json } from "../../../protocol/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { McpCall, McpConnection } from "./connection.ts";
import type { ServerContext } from "./open-transport.ts";
import type { McpServers } from "./server-config.ts";
import { createHash } from "node:crypto";

export interface McpTool {
  /** As the model calls it. */
  readonly name: string;
  readonly server: string;
  /** As its server calls it. */
  readonly tool: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  call(call: McpCall): Promise<{ text: string; ok: boolean }>;
}

export interface McpTools {
  /** Returns immediately. */
  begin(): void;
  tools(): readonly McpTool[];
  /** New messages about missing or recovered servers. */
  news(): string[];
  close(): Promise<void>;
}

const DESCRIPTION_CHARS_MAX = 4_000;
const SCHEMA_CHARS_MAX = 64_000;
const NAMED_MAX = 5;
const SHOWN_NAME_CHARS_MAX = 64;

export function createMcpTools(servers: McpServers, context: ServerContext & { readonly clock: Clock }): McpTools {
  let connections: readonly McpConnection[] = [];
  let loading: Promise<void> = Promise.resolve();
  let loadError: string | undefined;
  let isClosed = false;
  const reported = new Map<string, string>();

  /** The SDK is loaded only when there is a server. */
  async function load(): Promise<void> {
    const { McpConnection } = await import("./connection.ts");
    if (isClosed) return;
    connections = Object.entries(servers).map(([name, server]) => new McpConnection({ name, server, ...context }));
    for (const connection of connections) void connection.connect();
  }

  function noticeIfNew(server: string, sentence: string): string[] {
    if (reported.get(server) === sentence) return [];
    const isNews = sentence !== "" || reported.has(server);
    reported.set(server, sentence);
    if (!isNews) return [];
    return [sentence === "" ? `Tools from ${server} are available.` : sentence];
  }

  return {
    begin() {
      loading = load().catch((error: unknown) => {
        loadError = error instanceof Error ? error.message : String(error);
      });
    },
    tools() {
      const entries = connections.flatMap((connection) => connection.tools.map((tool) => ({ connection, tool })));
      const names = modelToolNames(
        entries.map(({ connection, tool }) => ({ server: connection.name, tool: tool.name })),
      );
      return entries.flatMap(({ connection, tool }, at) => {
        if (isTooLarge(tool.inputSchema)) return [];
        return [
          {
            name: names[at] as string,
            server: connection.name,
            tool: tool.name,
            description: (tool.description ?? tool.title ?? tool.name).slice(0, DESCRIPTION_CHARS_MAX),
            inputSchema: tool.inputSchema as Readonly<Record<string, Json>>,
            call: (call: McpCall) => connection.call(tool.name, call),
          },
        ];
      });
    },
    news() {
      if (loadError !== undefined) return noticeIfNew("", `No tool server can be used: ${loadError}`);
      const missing = Object.keys(servers).filter((name) => !connections.some((one) => one.name === name));
      return [
        ...missing.flatMap((name) => noticeIfNew(name, stillConnecting(name))),
        ...connections.flatMap((connection) => noticeIfNew(connection.name, describe(connection))),
      ];
    },
    async close() {
      isClosed = true;
      await loading;
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

function describe({ name, state, toolsLeftOut, tools }: McpConnection): string {
  if (state.is === "connecting") return stillConnecting(name);
  if (state.is === "failed") return `Tools from ${name} are not available: ${state.why}`;
  const many =
    toolsLeftOut === 0
      ? ""
      : `${name} offers ${tools.length + toolsLeftOut} tools; ${toolsLeftOut} of them are dropped.`;
  const large = tools
    .filter((tool) => isTooLarge(tool.inputSchema))
    .map((tool) => tool.name.slice(0, SHOWN_NAME_CHARS_MAX));
  if (large.length === 0) return many;
  const names =
    large.slice(0, NAMED_MAX).join(", ") + (large.length > NAMED_MAX ? ` and ${large.length - NAMED_MAX} more` : "");
  const why = `Tools of ${name} dropped because their schema has more than ${SCHEMA_CHARS_MAX} characters: ${names}.`;
  return many === "" ? why : `${many} ${why}`;
}

/** Measured once per schema: this runs before every turn. */
const measured = new WeakMap<object, boolean>();

function isTooLarge(schema: object): boolean {
  const known = measured.get(schema);
  if (known !== undefined) return known;
  const isLarge = JSON.stringify(schema).length > SCHEMA_CHARS_MAX;
  measured.set(schema, isLarge);
  return isLarge;
}

function stillConnecting(name: string): string {
  return `Tools from ${name} are not available yet: still connecting.`;
}

/** Limit of the strictest model servers. */
const NAME_CHARS_MAX = 64;
const DIGEST_CHARS = 6;

interface McpToolName {
  readonly server: string;
  readonly tool: string;
}

/** Valid, unique names in the given order; a clash or overlong name gets a digest. */
export function modelToolNames(tools: readonly McpToolName[]): string[] {
  const used = new Set<string>();
  return tools.map(({ server, tool }) => {
    const plain = `mcp__${cleaned(server)}__${cleaned(tool)}`;
    const isPlain = plain.length <= NAME_CHARS_MAX && !used.has(plain);
    const name = isPlain ? plain : withDigest(plain, { server, tool }, used);
    used.add(name);
    return name;
  });
}

function withDigest(plain: string, facts: McpToolName, used: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const text = JSON.stringify([facts.server, facts.tool, attempt]);
    const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_CHARS);
    const name = `${plain.slice(0, NAME_CHARS_MAX - DIGEST_CHARS - 1)}_${digest}`;
    if (!used.has(name)) return name;
  }
}

function cleaned(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}
