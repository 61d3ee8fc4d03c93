/**
 * The port of a data directory, chosen once and kept in its file `port`, so that bookmarks, links and signed-in browsers
 * outlast the server. Another one serves only while a different program has it.
 */
import { randomInt } from "node:crypto";
import path from "node:path";
import { readIfThere, writeFileAtomic } from "../kit/files/atomic-file.ts";
import { RoundtableError } from "../protocol/index.ts";

/** Below the ports that systems give to outgoing connections, so that none of those is in the way. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
/** Attempts to find a free one for a new data directory. */
const CHOICES_MAX = 20;

const file = (dataDir: string) => path.join(dataDir, "port");

/** The port that this data directory has; undefined before its first server. */
function storedPort(dataDir: string): number | undefined {
  const text = readIfThere(file(dataDir))?.trim() ?? "";
  const port = /^\d{4,5}$/.test(text) ? Number(text) : 0;
  return port >= 1024 && port <= 65_535 ? port : undefined;
}

/** Starts on the port of the data directory, or on any free one when that is taken. */
export async function startOnStoredPort<Server>(
  dataDir: string,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  const stored = storedPort(dataDir);
  if (stored !== undefined)
    return await unlessBusy(
      () => start(stored),
      async () => await start(0),
    );
  return await startOnNewPort(dataDir, start, CHOICES_MAX);
}

async function startOnNewPort<Server>(
  dataDir: string,
  start: (port: number) => Promise<Server>,
  choices: number,
): Promise<Server> {
  const port = randomInt(FIRST_PORT, LAST_PORT + 1);
  const next = async () => (choices <= 1 ? await start(0) : await startOnNewPort(dataDir, start, choices - 1));
  return await unlessBusy(async () => {
    const server = await start(port);
    await writeFileAtomic(file(dataDir), `${port}\n`);
    return server;
  }, next);
}

async function unlessBusy<Server>(first: () => Promise<Server>, otherwise: () => Promise<Server>): Promise<Server> {
  try {
    return await first();
  } catch (error) {
    if (error instanceof RoundtableError && error.code === "busy") return await otherwise();
    throw error;
  }
}

/** Says so when the server of `url` could not have its own port; undefined when it has it, or was given another. */
export function movedNote(dataDir: string, url: string): string | undefined {
  const stored = storedPort(dataDir);
  if (stored === undefined || url.endsWith(`:${stored}`)) return undefined;
  return `another program uses port ${stored}, so the page is at ${url} this time; browsers must sign in again there`;
}
