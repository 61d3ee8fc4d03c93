/** Transport of an MCP server by its configuration. Throws with a message when it cannot be opened. */
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { withCheckoutLast } from "../../process/launch/checkout.ts";
import { childEnvironment } from "../../process/launch/environment.ts";
import { findProgram } from "../../process/launch/find-program.ts";
import { useProxy } from "../../proxy.ts";
import type { ProcessRecords } from "../../process/tracking/process-records.ts";
import { fillIn, type Environment, type McpServer } from "./server-config.ts";
import { SupervisedTransport } from "./supervised-transport.ts";

export interface ServerContext {
  readonly member: string;
  readonly cwd: string;
  readonly records: ProcessRecords;
  readonly env: Environment;
}

const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** All answers of a connection share one stream there; beyond this size it is reopened. */
const STREAM_BYTES_MAX = 256 * 1024 * 1024;
/** Reconnecting is ours, within our budget, not the SDK's. */
const NO_RETRIES = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
};

export function openTransport(server: McpServer, context: ServerContext): Transport {
  return "command" in server ? openProgram(server, context) : openUrl(server, context);
}

function openProgram(server: Extract<McpServer, { command: unknown }>, context: ServerContext): Transport {
  const { command, args: more = [], env = [], values = {} } = server;
  const { member, cwd, records } = context;
  const [name = "", ...fixed] = command;
  const args = [...fixed, ...more.map((one) => fillIn(one, context.env))];
  const executable = findProgram(name, { PATH: context.env["PATH"], PATHEXT: context.env["PATHEXT"], cwd });
  if (!executable.ok) throw new Error(executable.message);
  const marker = records.marker(member);
  return new SupervisedTransport({
    member,
    program: executable.path,
    args,
    cwd,
    env: childEnvironment({
      parent: withCheckoutLast(context.env, cwd),
      named: env,
      set: filled(values, context.env),
      marker,
    }),
    marker,
    processes: records.processes,
    records,
  });
}

function openUrl({ url, headers = {}, isSse }: Extract<McpServer, { url: string }>, { env }: ServerContext): Transport {
  const noProxy = useProxy(env);
  if (noProxy !== undefined && !isLoopback(url)) throw new Error(noProxy);
  const requestInit = { headers: filled(headers, env) };
  if (isSse === true) {
    return new SSEClientTransport(new URL(url), { requestInit, fetch: createBoundedFetch(STREAM_BYTES_MAX) });
  }
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit,
    fetch: createBoundedFetch(ANSWER_BYTES_MAX),
    reconnectionOptions: NO_RETRIES,
  });
}

function isLoopback(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

function filled(values: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fillIn(value, env)]));
}

// `fetch` that aborts answers beyond a size limit.
function createBoundedFetch(bytesMax: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > bytesMax) controller.error(new Error(`its answer is longer than ${bytesMax} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
