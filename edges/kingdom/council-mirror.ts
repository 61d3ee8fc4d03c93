/** `council mirror`: a session beside a tree of thread files, which kingdom's programs read and write. */
import path from "node:path";
import { type Client, readTranscript } from "../../src/client/index.ts";
import type { CommandContext } from "../../src/edge/index.ts";
import { exitCodes, type ExitCode } from "../../src/kit/exit-codes.ts";
import { Failure, usageFailure } from "../../src/kit/failure.ts";
import { terminalSafeLine } from "../../src/kit/text/terminal-safe.ts";
import { granted, type SessionEvent, type ThreadMirror } from "../../src/protocol/index.ts";

/** Time for the mirror to find its tree or reject it; only a slow disk takes longer. */
const ANSWER_MS = 15_000;

export interface MirrorFlags {
  kd?: string;
  off?: boolean;
  new?: boolean;
  json?: boolean;
}

export async function mirrorCouncil(
  given: string | undefined,
  flags: MirrorFlags,
  context: CommandContext,
): Promise<ExitCode> {
  if (flags.off === true && (flags.new === true || flags.kd !== undefined)) {
    throw usageFailure("--off ends a mirror and cannot be combined with --kd or --new");
  }
  const requested = mirrorFromFlags(flags, context.workingDirectory());
  const connection = await context.connect();
  if (connection === undefined) throw context.noSession(given);
  const { client } = connection;
  try {
    if (flags.off === true) return await end(client, await findMirrored(client, given, context), context);
    const sessionId = await context.findSession(client, given);
    if (sessionId === undefined) throw context.noSession(given);
    const present = toMirrorLocation((await readTranscript(client, sessionId)).head.settings?.mirror);
    const isPresent =
      flags.new !== true &&
      present !== undefined &&
      (requested.kd === undefined || requested.thread === present.thread);
    const mirror = await begin(client, sessionId, isPresent ? present : requested);
    printMirror(sessionId, mirror, flags, context);
    if (!connection.isServer) context.warn("no server is running, so the thread is followed while the session is open");
    return exitCodes.ok;
  } finally {
    await connection.close();
  }
}

/** From a `.kd` directory, a directory that contains one, or a thread in one. */
function mirrorFromFlags({ kd, new: isNew }: MirrorFlags, cwd: string): ThreadMirror {
  if (kd === undefined) return {};
  const given = path.resolve(cwd, kd);
  const [, tree, branch, thread] =
    /^(.*[/\\]\.kd)[/\\]branches[/\\]([^/\\]+)[/\\]threads[/\\]([^/\\]+)$/.exec(given) ?? [];
  if (tree !== undefined && branch !== undefined && thread !== undefined) {
    if (isNew === true) throw usageFailure("--new and a thread cannot be combined");
    return { kd: tree, branch, thread };
  }
  return { kd: path.basename(given) === ".kd" ? given : path.join(given, ".kd") };
}

interface MirrorLocation {
  readonly kd: string;
  readonly branch: string;
  readonly thread: string;
}

/** Resolves when the session reports its thread; rejects with the mirror's warning, if that comes first. */
async function begin(client: Client, sessionId: string, mirror: ThreadMirror): Promise<MirrorLocation> {
  const { epoch, seq } = await client.snapshot(sessionId);
  const { promise, resolve, reject } = Promise.withResolvers<MirrorLocation>();
  const timer = setTimeout(
    () => reject(new Failure(exitCodes.timeout, "timeout", "the mirror did not start in time")),
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
    clearTimeout(timer);
  }
}

/** The given session, else the newest mirrored one of the working directory. */
async function findMirrored(client: Client, given: string | undefined, context: CommandContext): Promise<string> {
  const sessionId = await context.findSession(client, given, ({ mirrored }) => mirrored === true);
  if (sessionId === undefined) throw notMirrored(`no session in ${context.workingDirectory()} is mirrored`);
  const isMirrored = (await client.list()).some((one) => one.sessionId === sessionId && one.mirrored === true);
  if (!isMirrored) throw notMirrored(`session ${sessionId} is not mirrored`);
  return sessionId;
}

function notMirrored(message: string): Failure {
  return new Failure(exitCodes.noSuchSession, "unknown_session", message, {
    hint: "roundtable sessions list shows which are mirrored",
  });
}

async function end(client: Client, sessionId: string, { warn }: CommandContext): Promise<ExitCode> {
  granted(await client.command(sessionId, { type: "set_settings", settings: { mirror: null } }));
  warn(`session ${sessionId} is no longer mirrored; its thread files stay as they are`);
  return exitCodes.ok;
}

function toMirrorLocation(mirror: ThreadMirror | null | undefined): MirrorLocation | undefined {
  if (mirror?.kd === undefined || mirror.branch === undefined || mirror.thread === undefined) return undefined;
  return { kd: mirror.kd, branch: mirror.branch, thread: mirror.thread };
}

function printMirror(
  sessionId: string,
  { kd, branch, thread }: MirrorLocation,
  { json }: MirrorFlags,
  { stdout, warn }: CommandContext,
): void {
  if (json === true) {
    stdout.writeJson({ session_id: sessionId, kd, branch, thread });
    return;
  }
  stdout.write(`${terminalSafeLine(thread)}\n`);
  warn(`session ${sessionId} is mirrored in ${kd}, branch ${branch}`, `Read it there: kd council show ${thread}`);
}
