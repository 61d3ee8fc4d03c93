/** The way to a tool server, by what its configuration says. Throws with a sentence when there is none. */
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { childEnvironment } from "../process/environment.ts";
import { findProgram } from "../process/find-program.ts";
import type { ProcessRecords } from "../process/process-records.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { fillIn, type Environment, type McpServer } from "./server-config.ts";
import { SupervisedTransport } from "./supervised-transport.ts";

export interface ServerPlace {
  readonly member: string;
  readonly cwd: string;
  readonly records: ProcessRecords;
  readonly env: Environment;
}

const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** The stream of a server's own news is taken up again by us, within our budget. */
const NO_RETRIES = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
};

export function openTransport(server: McpServer, place: ServerPlace): Transport {
  return "command" in server ? openProgram(server, place) : openUrl(server, place);
}

function openProgram({ command, env = [] }: Extract<McpServer, { command: unknown }>, place: ServerPlace): Transport {
  const { member, cwd, records } = place;
  const [name = "", ...args] = command;
  const found = findProgram(name);
  if (!found.ok) throw new Error(found.message);
  const marker = records.marker(member);
  return new SupervisedTransport({
    member,
    program: found.path,
    args,
    cwd,
    env: childEnvironment({ parent: place.env, named: env, marker }),
    marker,
    table: records.table,
    records,
  });
}

function openUrl({ url, headers = {} }: Extract<McpServer, { url: string }>, { env }: ServerPlace): Transport {
  const filled = Object.entries(headers).map(([name, value]) => [name, fillIn(value, env)] as const);
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: Object.fromEntries(filled) },
    fetch: createBoundedFetch(ANSWER_BYTES_MAX),
    reconnectionOptions: NO_RETRIES,
  });
}
