/**
 * New sessions on the machines of a team, and copies that continue there. The folder is written as MACHINE:FOLDER, or
 * PERSON/MACHINE:FOLDER where two people have machines of the same name.
 */
import { newId } from "../../kit/ids.ts";
import { granted, RoundtableError } from "../../protocol/index.ts";
import { type Offer, StartSession } from "../frames.ts";
import { isWithin } from "../people/may.ts";
import type { TeamRunner } from "../people/people-store.ts";
import { asAnswer } from "../store/team-store.ts";
import type { Rights } from "./rights.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { askRunner, type CommandDeps } from "./stored-session.ts";

/** Time limit for a new session to appear in the list. */
const ARRIVAL_MS = 15_000;
const POLL_MS = 100;

export interface StartDeps extends CommandDeps {
  readonly directory: SessionDirectory;
}

interface Target {
  readonly runner: TeamRunner;
  readonly offer: Offer;
  readonly cwd: string;
  /** As it is written. */
  readonly name: string;
}

export type StartRequest = Pick<StartSession, "cwd" | "title" | "settings" | "members">;

/** Resolves with the id of the session, once it can be read here. */
export async function startSession(deps: StartDeps, { cwd: at, ...request }: StartRequest): Promise<string> {
  const { runner, cwd } = await expectTarget(deps.rights, at);
  return await start(deps, runner, { ...request, cwd });
}

export interface ForkRequest {
  readonly sessionId: string;
  readonly seq?: number | undefined;
  readonly title?: string | undefined;
  /** Default: the folder of a new session. */
  readonly at?: string | undefined;
}

/** A copy that continues on another machine, even if the session's own machine is gone. */
export async function forkElsewhere(deps: StartDeps, { sessionId, seq, title = "", at }: ForkRequest): Promise<string> {
  const { store, rights } = deps;
  const { runnerId } = await rights.expect("read", sessionId);
  const { runner, cwd } = await expectTarget(rights, at ?? defaultTarget(rights)?.name ?? "");
  const head = (await asAnswer(store.head(sessionId)))?.head.seq ?? 0;
  const { id, name } = rights.ownerOf(runnerId);
  const owner = id !== undefined && id === runner.person ? undefined : { id, name };
  return await start(deps, runner, { cwd, title, from: { sessionId, seq: Math.min(seq ?? head, head), owner } });
}

async function start(
  deps: StartDeps,
  { id: runnerId, name }: TeamRunner,
  request: Omit<StartSession, "type" | "commandId">,
): Promise<string> {
  const command = StartSession.parse({ type: "start", commandId: newId(), ...request });
  const over = new AbortController();
  const ack = await askRunner(deps, { runnerId, sessionId: "", command }, over.signal);
  if (ack === undefined) throw new RoundtableError("closed", "The node is stopping.");
  const { sessionId } = granted(ack).result as { sessionId: string };
  const { directory, clock } = deps;
  const untilMs = clock.monotonic() + ARRIVAL_MS;
  while (directory.get(sessionId) === undefined) {
    if (clock.monotonic() > untilMs)
      throw new RoundtableError("store_unavailable", `The session was started on ${name} but is not listed yet.`);
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
    await asAnswer(directory.refresh());
  }
  return sessionId;
}

/** Members and settings of a session started there. Undefined where the person may start none. */
export async function targetDefaults(
  rights: Rights,
  given: string,
): Promise<(Offer & { readonly cwd: string }) | undefined> {
  const target = isDefault(given) ? defaultTarget(rights) : await expectTarget(rights, given);
  return target && { ...target.offer, cwd: target.name };
}

/** No folder was chosen. */
function isDefault(given: string): boolean {
  return given === "" || given === "/";
}

/** Folders of connected machines, the person's own first. */
export function targetNames(rights: Rights): string[] {
  return targets(rights).map(({ name }) => name);
}

function defaultTarget(rights: Rights): Target | undefined {
  return targets(rights)[0];
}

function targets(rights: Rights): Target[] {
  const { people, principal } = rights;
  const { runners } = people.records;
  const isOwn = ({ person }: TeamRunner) => person === principal.person;
  const connected = [...runners.values()].filter(({ id }) => people.isConnected(id));
  return connected
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.name < b.name ? -1 : 1))
    .flatMap((runner) => runner.offers.map((offer) => targetIn(rights, runner, offer, offer.folder)))
    .filter(({ runner, cwd }) => rights.mayStart(runner, cwd));
}

function targetIn({ people }: Rights, runner: TeamRunner, offer: Offer, cwd: string): Target {
  const others = [...people.records.runners.values()].filter((one) => one !== runner && one.person !== undefined);
  const owner = others.some(({ name }) => name === runner.name) ? `${people.nameOf(runner.person) ?? ""}/` : "";
  return { runner, offer, cwd, name: `${owner}${runner.name}:${cwd}` };
}

/** Finds machines that have just connected to another node, too. */
async function expectTarget(rights: Rights, given: string): Promise<Target> {
  try {
    return findTarget(rights, given);
  } catch {
    await asAnswer(rights.people.refresh());
    return findTarget(rights, given);
  }
}

/** Throws an error for the person who typed the target. A folder without rights looks like one that does not exist. */
function findTarget(rights: Rights, given: string): Target {
  const [, person, machine = "", folder] = /^(?:([^/:]+)\/)?([^/:]+)(?::(.*))?$/s.exec(given) ?? [];
  const { people } = rights;
  const owner = person === undefined ? undefined : people.named(person);
  const named = [...people.records.runners.values()].filter(
    (one) =>
      one.name.toLowerCase() === machine.toLowerCase() &&
      (person === undefined || (owner !== undefined && one.person === owner.id)),
  );
  const matching = named.flatMap((runner) =>
    runner.offers.flatMap((offer) => {
      const cwd = folder ?? offer.folder;
      return isWithin(cwd, offer.folder) && rights.mayStart(runner, cwd) ? [targetIn(rights, runner, offer, cwd)] : [];
    }),
  );
  const [target] = matching;
  if (target === undefined) {
    const can = targetNames(rights);
    if (can.length === 0 && isDefault(given))
      throw new RoundtableError("bad_command", "No machine in the team offers you a folder yet.", { hint: NOWHERE });
    throw new RoundtableError("bad_command", `You cannot start a session in ${given || "the team"}.`, {
      hint: can.length === 0 ? NOWHERE : `You can start one in: ${can.slice(0, 5).join(", ")}.`,
    });
  }
  if (new Set(matching.map(({ runner }) => runner)).size > 1)
    throw new RoundtableError("bad_command", `There are several machines called ${machine}. Write PERSON/${given}.`);
  return target;
}

const NOWHERE =
  "Ask the owner of a machine for the driver role on a folder, or add a machine of your own with roundtable join --folders.";
