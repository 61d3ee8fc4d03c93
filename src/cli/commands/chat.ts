/**
 * The terminal screen on a session: of the running server of the data directory, which is started when none runs; hosted
 * in this process, without a port, when that is not wanted or does not work.
 */
import type { Client } from "../../client/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import { runScreen } from "../../tui/index.ts";
import type { CommonFlags } from "../args.ts";
import { attachTable, requireSameVersion } from "../attached-table.ts";
import { colourStyle, plainStyle, wantsColour } from "../colours.ts";
import { dataDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { noteLine, toFailure, usageFailure } from "../failure.ts";
import { listenForStops } from "../ask/stop-signals.ts";
import { findSession } from "../find-session.ts";
import { shorten } from "../print/block-lines.ts";
import { TranscriptPrinter } from "../print/transcript-printer.ts";
import { sessionDefaults } from "../session-defaults.ts";
import { note, stdout } from "../stdout.ts";
import { openTable, type Table } from "../table.ts";

export interface ChatFlags extends CommonFlags {
  new?: boolean;
}

const TITLE_CHARS_MAX = 80;

export async function chat(id: string | undefined, flags: ChatFlags): Promise<ExitCode> {
  requireTerminal();
  if (id !== undefined && flags.new === true) throw usageFailure("--new and a session's id contradict each other");
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const defaults = await sessionDefaults(flags);
  prepareDataDirectory(dataDir);
  const waiting = showWaiting();
  const seat = await takeSeat(dataDir, defaults.cwd).finally(waiting.clear);
  if (seat.why !== undefined) note(noteLine(`${seat.why}; the session is hosted here and ends with this screen`));
  return await runChat(seat.table, { defaults, flags, place: seat.place, isAttached: seat.isAttached, id });
}

/** Something is on the screen at once; the screen itself is drawn when there is a table to draw. */
function showWaiting(): { clear: () => void } {
  stdout.write("Sitting down …");
  return { clear: () => stdout.write("\r\u001b[K") };
}

interface Seat {
  table: Table;
  place: string;
  isAttached: boolean;
  /** Why there is no server, when one was wanted. */
  why?: string;
}

/** A server that leaves between being found and being joined is looked for, or started, again. */
const ATTACH_TRIES = 3;

async function takeSeat(dataDir: string, cwd: string): Promise<Seat> {
  const { BACKGROUND_VARIABLE, reachServer } = await import("../launch.ts");
  const { findServer } = await import("../../server/index.ts");
  const isStarting = process.env[BACKGROUND_VARIABLE] !== "0";
  for (let tries = 1; ; tries++) {
    const server = isStarting ? await reachServer({ dataDir, cwd }) : await findServer(dataDir);
    if (server === undefined || "why" in server) {
      return { table: await openTable(dataDir), place: "hosted here", isAttached: false, ...server };
    }
    requireSameVersion(server);
    try {
      return { table: await attachTable(server), place: `attached to ${server.url}`, isAttached: true };
    } catch (error) {
      if (toFailure(error).code !== "closed" || tries === ATTACH_TRIES) throw error;
    }
  }
}

export function requireTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw usageFailure("the screen needs a terminal on both sides", "Ask once with roundtable -p TEXT");
}

export interface ChatPlan {
  defaults: SessionDefaults;
  flags: ChatFlags;
  /** Where the session lives, in a few words. */
  place: string;
  isAttached: boolean;
  id: string | undefined;
}

export async function runChat(table: Table, { defaults, flags, place, isAttached, id }: ChatPlan): Promise<ExitCode> {
  const { client } = table;
  const style = wantsColour(flags.color ?? "auto", process.env, true) ? colourStyle : plainStyle;
  const stop = new AbortController();
  const stops = listenForStops(
    () => stop.abort(),
    () => process.exit(exitCodes.interrupted),
  );
  try {
    const sessionId = flags.new === true ? undefined : await chooseSession(client, id, defaults.cwd);
    await runScreen({
      client,
      sessionId,
      createSession: async (text) => {
        const { cwd, settings, members } = defaults;
        const title = shorten(text, TITLE_CHARS_MAX);
        return (await client.create({ cwd, title, settings, members: [...members] })).sessionId;
      },
      createPrinter: (write) => new TranscriptPrinter({ write, style, wants: () => true }),
      style,
      place,
      seated: defaults.members.map((member) => member.name),
      outlivesScreen: isAttached,
      input: process.stdin,
      output: process.stdout,
      signal: stop.signal,
    });
    return exitCodes.ok;
  } finally {
    await table.close();
    stops.release();
  }
}

/** The one asked for; else the one of this directory that was last used; else none yet. */
async function chooseSession(client: Client, id: string | undefined, cwd: string): Promise<string | undefined> {
  if (id !== undefined) return await findSession(client, id);
  const [newest] = (await client.list())
    .filter((one) => one.cwd === cwd && !one.archived)
    .sort((a, b) => b.updatedTs - a.updatedTs);
  return newest?.sessionId;
}
