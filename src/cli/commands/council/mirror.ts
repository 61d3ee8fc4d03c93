/** `council mirror`: a session beside a tree of thread files, so that kingdom's programs read it and write to it. */
import path from "node:path";
import { type Client, readTranscript } from "../../../client/index.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { granted, type SessionEvent, type ThreadMirror } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { connectToHost } from "../../connect/connect-to-host.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { existingDataDirectory } from "../../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import { findSession, newestIn } from "../../sessions/find-session.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { noSession, sessionOf } from "./at-session.ts";

/** The tree is found, or found unusable, at once; a disk that takes longer is not waited for. */
const ANSWER_MS = 15_000;

export interface MirrorFlags extends CommonFlags {
  kd?: string;
  off?: boolean;
  new?: boolean;
  json?: boolean;
}

export async function mirrorCouncil(given: string | undefined, flags: MirrorFlags): Promise<ExitCode> {
  if (flags.off === true && (flags.new === true || flags.kd !== undefined)) {
    throw usageFailure("--off ends a mirror; it goes with neither --kd nor --new");
  }
  const cwd = workingDirectory(flags.directory);
  const dataDir = existingDataDirectory(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (dataDir === undefined) throw noSession(given, flags);
  const connection = await connectToHost({ dataDir, cwd });
  try {
    if (flags.off === true) return await end(connection.client, await mirroredOf(connection.client, given, flags));
    const sessionId = await sessionOf(connection.client, given, flags);
    const requested = mirrorFromFlags(flags, cwd);
    const present = toMirrorLocation((await readTranscript(connection.client, sessionId)).head.settings?.mirror);
    const isThere =
      flags.new !== true &&
      present !== undefined &&
      (requested.kd === undefined || requested.thread === present.thread);
    const mirror = await begin(connection.client, sessionId, isThere ? present : requested);
    printMirror(sessionId, mirror, flags);
    if (!connection.outlivesScreen)
      note(noteLine("no server runs, so the thread is followed while the session is open somewhere"));
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** A `.kd` directory, a directory with one in it, or a thread in one. */
export function mirrorFromFlags({ kd, new: isNew }: MirrorFlags, cwd: string): ThreadMirror {
  if (kd === undefined) return {};
  const given = path.resolve(cwd, kd);
  const [, tree, branch, thread] =
    /^(.*[/\\]\.kd)[/\\]branches[/\\]([^/\\]+)[/\\]threads[/\\]([^/\\]+)$/.exec(given) ?? [];
  if (tree !== undefined && branch !== undefined && thread !== undefined) {
    if (isNew === true) throw usageFailure("--new and a thread contradict each other");
    return { kd: tree, branch, thread };
  }
  return { kd: path.basename(given) === ".kd" ? given : path.join(given, ".kd") };
}

interface MirrorLocation {
  readonly kd: string;
  readonly branch: string;
  readonly thread: string;
}

/** Resolves when the session says which thread it lies beside; fails with the sentence it says instead. */
async function begin(client: Client, sessionId: string, mirror: ThreadMirror): Promise<MirrorLocation> {
  const { epoch, seq } = await client.snapshot(sessionId);
  const { promise, resolve, reject } = Promise.withResolvers<MirrorLocation>();
  const late = setTimeout(
    () => reject(new Failure(exitCodes.timeout, "timeout", "the mirror did not begin in time")),
    ANSWER_MS,
  );
  const onEvents = (events: readonly SessionEvent[]): void => {
    for (const event of events) {
      const chosen = event.type === "settings_changed" ? toMirrorLocation(event.settings.mirror) : undefined;
      if (chosen !== undefined) resolve(chosen);
      if (event.type === "warning" && event.code === "mirror") {
        reject(new Failure(exitCodes.failure, "mirror", event.message));
      }
    }
  };
  promise.catch(() => {});
  try {
    await client.subscribe(sessionId, { epoch, seq }, onEvents);
    granted(await client.command(sessionId, { type: "set_settings", settings: { mirror } }));
    return await promise;
  } finally {
    clearTimeout(late);
  }
}

/** The one that was named, else the newest of this directory that has a thread. */
async function mirroredOf(client: Client, given: string | undefined, flags: MirrorFlags): Promise<string> {
  const mirrored = (await client.list()).filter((one) => one.mirrored === true);
  if (given !== undefined) {
    const sessionId = await findSession(client, given);
    if (mirrored.some((one) => one.sessionId === sessionId)) return sessionId;
    throw notMirrored(`session ${sessionId} is not mirrored`);
  }
  const cwd = workingDirectory(flags.directory);
  const newest = newestIn(mirrored, cwd);
  if (newest !== undefined) return newest.sessionId;
  throw notMirrored(`no session of ${cwd} is mirrored`);
}

function notMirrored(message: string): Failure {
  return new Failure(exitCodes.noSuchSession, "unknown_session", message, {
    hint: "roundtable sessions list shows which are mirrored",
  });
}

async function end(client: Client, sessionId: string): Promise<ExitCode> {
  granted(await client.command(sessionId, { type: "set_settings", settings: { mirror: null } }));
  note(noteLine(`session ${sessionId} is no longer mirrored; its thread files stay as they are`));
  return exitCodes.ok;
}

function toMirrorLocation(mirror: ThreadMirror | null | undefined): MirrorLocation | undefined {
  if (mirror?.kd === undefined || mirror.branch === undefined || mirror.thread === undefined) return undefined;
  return { kd: mirror.kd, branch: mirror.branch, thread: mirror.thread };
}

function printMirror(sessionId: string, { kd, branch, thread }: MirrorLocation, { json }: MirrorFlags): void {
  if (json === true) {
    stdout.write(jsonLine({ session_id: sessionId, kd, branch, thread }));
    return;
  }
  stdout.write(`${terminalSafeLine(thread)}\n`);
  note(
    noteLine(`session ${sessionId} is mirrored in ${kd}, branch ${branch}`, `Read it there: kd council show ${thread}`),
  );
}
