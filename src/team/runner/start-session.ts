/** Starts a session for somebody of the team on this machine: a new one, or a copy of one that the server has. */
import { realpath } from "node:fs/promises";
import type { Client } from "../../client/index.ts";
import { forkSession, type Host } from "../../host/index.ts";
import { systemClock } from "../../kit/clock.ts";
import {
  definitionOf,
  granted,
  MemberName,
  RoundtableError,
  senderId,
  senderOf,
  type Cursor,
  type MemberSpec,
  type SessionEvent,
  type TeamPerson,
} from "../../protocol/index.ts";
import type { StartSession } from "../frames.ts";
import { isWithin } from "../people/may.ts";
import type { CheckedStart } from "./owner-rules.ts";

const START: Cursor = { epoch: 0, seq: 0 };

export interface StartDeps {
  readonly host: Pick<Host, "hostId" | "socketPath">;
  readonly dataDir: string;
  readonly client: Pick<Client, "create" | "command">;
  /** Events of a session on the server after the cursor; empty at the end. */
  readonly readEvents: (sessionId: string, after: Cursor) => Promise<readonly SessionEvent[]>;
  readonly fetchBlob: (sessionId: string, sha256: string) => Promise<Uint8Array | undefined>;
}

/** Resolves with the id of the new session when it is on disk. */
export async function startHere(
  deps: StartDeps,
  { cwd, title, from }: StartSession,
  { folder, members, settings }: CheckedStart,
): Promise<string> {
  await expectReached(cwd, folder);
  if (from === undefined) return (await deps.client.create({ cwd, title, settings, members })).sessionId;
  const { sessionId: original, seq, owner } = from;
  const [any] = members;
  if (any === undefined) throw new RoundtableError("bad_command", "A copy needs a member of this machine.", NOBODY);
  const left = new Set<string>();
  const adapted = { cwd, settings, members, any, left, seq };
  const read = async function* (): AsyncGenerator<SessionEvent[], void, void> {
    for (let after = START; ;) {
      const events = await deps.readEvents(original, after);
      const last = events.at(-1);
      if (last === undefined) return;
      yield events.map((event) => signed(adapt(wellFormed(event), adapted), owner));
      after = { epoch: last.epoch, seq: last.seq };
    }
  };
  const sessionId = await forkSession({
    dataDir: deps.dataDir,
    holder: { pid: process.pid, socket: deps.host.socketPath, hostId: deps.host.hostId },
    clock: systemClock,
    source: { sessionId: original, read },
    seq,
    title: title === "" ? undefined : title,
    fetchBlob: (sha256) => deps.fetchBlob(original, sha256),
  });
  await replaceMembers(deps.client, sessionId, members, left);
  return sessionId;
}

/**
 * A link in a shared folder may lead out of it, and anyone who can write there, or to its repository, may have made it.
 */
export async function expectReached(cwd: string, folder: string): Promise<void> {
  const real = await realpath(cwd).catch(() => undefined);
  if (real === undefined) throw new RoundtableError("bad_command", `${JSON.stringify(cwd)} is not a directory.`);
  if (isWithin(real, await realpath(folder))) return;
  throw new RoundtableError("unsupported", `${cwd} leads out of the folder that this machine shares.`, {
    hint: "Its owner can share the folder that it leads to, with roundtable join --folders.",
  });
}

const NOBODY = { hint: "Configure one in its folder, and start roundtable join again." };

interface Adapted {
  readonly cwd: string;
  readonly settings: CheckedStart["settings"];
  readonly members: readonly MemberSpec[];
  /** One of them, in place of those that this machine does not have. */
  readonly any: MemberSpec;
  /** The last event of the copy. */
  readonly seq: number;
  /** Names of members that this machine does not have, who are in the copy. */
  readonly left: Set<string>;
}

/** The original may contain arbitrary events; in a log of this machine they would be trusted. */
export function wellFormed(event: SessionEvent): SessionEvent {
  const { seq, epoch, id, ts, sessionId, type } = event;
  const definition = definitionOf(type);
  if (definition === undefined ? Number.isFinite(ts) : definition.schema.safeParse(event).success) return event;
  const message = `An event of type ${type} could not be read and is missing here.`;
  const stamp = { seq, epoch, id, ts: Number.isFinite(ts) ? ts : 0, sessionId };
  return { ...stamp, type: "warning", code: "damage", message };
}

/** Nothing of another machine runs here: neither its folder and settings nor its members' programs. */
function adapt(event: SessionEvent, { cwd, settings, members, any, seq, left }: Adapted): SessionEvent {
  if (event.type === "session_created") return { ...event, cwd, settings };
  if (event.type === "settings_changed") return { ...event, settings: {} };
  if (event.type === "member_left" && event.seq <= seq) left.delete(event.member);
  if (event.type !== "member_joined") return event;
  const name = MemberName.parse(event.member);
  const known = members.find((one) => one.name === name);
  if (known === undefined && event.seq <= seq) left.add(name);
  return { ...event, spec: known ?? { ...any, name } };
}

/** In place of the end of a device's id. */
const AT_THE_MACHINE = "0000";

/** What was written at the machine of the original is its owner's, and would pass for that of the owner of this one. */
export function signed(event: SessionEvent, owner: TeamPerson | undefined): SessionEvent {
  if (owner === undefined) return event;
  const { id, name } = owner;
  const sender = id === undefined ? `${name}.${AT_THE_MACHINE}` : senderId({ id, name }, AT_THE_MACHINE);
  const isLocal = (clientId: string | undefined): boolean => senderOf(clientId) === undefined;
  switch (event.type) {
    case "user_message":
      return isLocal(event.clientId) ? { ...event, clientId: sender } : event;
    case "output_cancelled":
      return isLocal(event.by) ? { ...event, by: sender } : event;
    // Without a client, nobody did it.
    case "ui_response":
    case "plan_decision":
    case "compaction_started":
    case "compaction_undone":
      return event.clientId !== undefined && isLocal(event.clientId) ? { ...event, clientId: sender } : event;
    default:
      return event;
  }
}

/** Members that this machine does not have leave; if none remain, the members of the folder join. */
async function replaceMembers(
  client: Pick<Client, "command">,
  sessionId: string,
  members: readonly MemberSpec[],
  left: ReadonlySet<string>,
): Promise<void> {
  if (left.size === 0) return;
  for (const spec of members) {
    // Refused for one that has been there all along.
    await client.command(sessionId, { type: "add_member", spec });
  }
  for (const member of left) granted(await client.command(sessionId, { type: "remove_member", member }));
}
