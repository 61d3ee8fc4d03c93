/** Chooses the session of a question: an existing one, or a new one with the chosen members. */
import { readHead, type AttachedFile, type Client, type CommandBody } from "../../client/index.ts";
import { commandResult, granted, type MemberSpec, type Limits, type Settings } from "../../protocol/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import type { AskFlags } from "../flags.ts";
import type { Setting } from "../config/environment.ts";
import type { Config } from "../config/load-config.ts";
import type { MemberResolver } from "../members/resolver.ts";
import { effortsFor, modelsFor } from "../members/models.ts";
import { findSession, newestIn, noLastSession } from "../sessions/find-session.ts";
import { checkAddressees, checkMembers, sessionSettings } from "../members/members.ts";
import { usageFailure, Failure } from "../../kit/failure.ts";
import { textWithoutStdin } from "./prompt-input.ts";
import { sessionTitle, SESSION_LIMIT_FACTOR } from "../../transcript/index.ts";
import { wantsLines } from "../chat/run-reader.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { hasDirectory } from "../sessions/directory.ts";

export interface ChosenSession {
  sessionId: string;
  isNew: boolean;
  /** For a new session: its members in speaking order, and its directory. */
  begun?: { readonly members: readonly string[]; readonly cwd: string };
}

interface Choice {
  config: Config;
  /** Configuration keys from the command line. */
  overridden?: readonly Setting[];
  resolver: MemberResolver;
  flags: AskFlags;
  cwd: string;
  prompt: string;
  files?: readonly AttachedFile[];
  /** Where a new session works on a team's server; absent on this machine. */
  target?: () => Promise<SessionDefaults>;
}

export async function chooseSession(
  client: Client,
  { config, overridden = [], resolver, flags, cwd, prompt, files = [], target: findTarget }: Choice,
): Promise<ChosenSession> {
  const isLast = flags.continue === true || flags.resumeLast === true;
  if (isLast && flags.resume !== undefined) throw usageFailure("--resume and -c cannot be combined", "Use one of them");
  const newest = flags.orNew === true ? newestIn(await client.list(), cwd) : undefined;
  const isNewMeant = flags.members !== undefined || flags.name !== undefined || overridden.some(isOfNewSession);
  if (newest !== undefined && !isNewMeant) {
    return { sessionId: await resumeSession(client, newest.sessionId, { ...flags, overridden }), isNew: false };
  }
  if (flags.resume !== undefined || isLast) {
    const isNamed = flags.name !== undefined && flags.fork !== true;
    const clash = flags.members !== undefined ? "--members" : isNamed ? "--name" : undefined;
    if (clash !== undefined) {
      throw usageFailure(
        `${clash} only applies to a new session and cannot be combined with --resume or -c`,
        "Remove one of them",
      );
    }
    const wanted = await wantedSession(client, flags.resume, cwd);
    return { sessionId: await resumeSession(client, wanted, { ...flags, overridden }), isNew: false };
  }
  if (flags.fork === true) {
    throw usageFailure("--fork needs a session to copy", "Add --resume ID or -c");
  }
  const target = await findTarget?.();
  const offered = target === undefined ? await resolver.members() : chosenFrom(target, flags.members);
  const members = await withEfforts(withModels(offered, flags.model), flags.effort);
  const names = members.map((spec) => spec.name);
  checkAddressees(flags.to ?? [], names);
  checkMembers(flags.allowUnguarded ?? [], names, "--allow-unguarded");
  const settings = target === undefined ? sessionSettings(config, members) : { ...target.settings, order: names };
  checkAllowed(flags.allow, settings.writable);
  const { sessionId } = await client.create({
    cwd: target?.cwd ?? cwd,
    title: flags.name ?? sessionTitle(textWithoutStdin(prompt) || (files[0]?.name ?? "")),
    settings,
    members,
  });
  return { sessionId, isNew: true, begun: { members: names, cwd } };
}

/** Members of another machine, by name. */
function chosenFrom({ members, cwd }: SessionDefaults, names: readonly string[] | undefined): readonly MemberSpec[] {
  if (members.length === 0) {
    throw usageFailure(
      "no machine in the team offers you a folder to start a session in",
      "Continue one with --resume, or ask the owner of a machine for the driver role on a folder",
    );
  }
  if (names === undefined) return members;
  const known = members.map(({ name }) => name);
  checkMembers(names, known, `--members, on ${cwd}`);
  return names.flatMap((name) => members.find((one) => one.name === name) ?? []);
}

function withModels(members: readonly MemberSpec[], given: readonly string[] | undefined): MemberSpec[] {
  const models = modelsFor(given ?? [], members);
  return members.map((spec) => {
    const model = models.get(spec.name);
    return model === undefined ? spec : { ...spec, model };
  });
}

async function withEfforts(members: MemberSpec[], given: readonly string[] = []): Promise<MemberSpec[]> {
  const efforts = await effortsFor(given, members);
  return members.map((spec) => {
    const effort = efforts.get(spec.name);
    return effort === undefined ? spec : { ...spec, effort };
  });
}

async function wantedSession(client: Client, resume: AskFlags["resume"], cwd: string): Promise<string> {
  if (resume === true) return await pickOnTerminal(client);
  if (resume !== undefined) return await findSession(client, resume);
  const newest = newestIn(await client.list(), cwd);
  if (newest === undefined) throw noLastSession(cwd);
  return newest.sessionId;
}

/** Applies flags to a continued session before the question: fork, write access, models. */
type ResumeFlags = Pick<AskFlags, "fork" | "name" | "writable" | "model" | "effort" | "allow"> & {
  /** Configuration keys from the command line. */
  readonly overridden?: readonly Setting[];
};

/**
 * Returns the id of the session to ask. Validates everything before the first change, and skips settings already in
 * place.
 */
async function resumeSession(client: Client, given: string, flags: ResumeFlags): Promise<string> {
  const commands = await changesFor(client, given, flags);
  const sessionId = flags.fork === true ? await forkOf(client, given, flags.name) : given;
  for (const command of commands) granted(await client.command(sessionId, command));
  return sessionId;
}

async function changesFor(client: Client, sessionId: string, flags: ResumeFlags): Promise<CommandBody[]> {
  const { writable = false, model = [], effort = [], allow, overridden = [] } = flags;
  if (!writable && model.length + effort.length === 0 && allow === undefined && overridden.length === 0) return [];
  const { head } = await readHead(client, sessionId);
  const settings = head.settings === undefined ? {} : changedSettings(overridden, head.settings);
  if (writable && head.settings?.writable !== true) settings.writable = true;
  checkAllowed(allow, settings.writable ?? head.settings?.writable === true);
  const members = Object.values(head.members).flatMap(({ seated: isMember, spec }) => (isMember ? [spec] : []));
  const models = [...modelsFor(model, members)].filter(([name, wanted]) => head.members[name]?.model !== wanted);
  const efforts = [...(await effortsFor(effort, members))];
  return [
    ...(Object.keys(settings).length === 0 ? [] : [{ type: "set_settings", settings } as const]),
    ...models.map(([member, wanted]) => ({ type: "switch_model", member, model: wanted }) as const),
    ...efforts.map(([member, wanted]) => ({ type: "switch_effort", member, effort: wanted }) as const),
  ];
}

/** Throws a Failure in a read-only session, where rules cannot allow anything. */
export function checkAllowed(allow: readonly string[] | undefined, isWritable: boolean): void {
  if (allow === undefined || isWritable) return;
  throw usageFailure("--allow needs a writable session, and this one is read-only", "Add --writable");
}

async function forkOf(client: Client, sessionId: string, name: string | undefined): Promise<string> {
  const title = name === undefined ? {} : { title: name };
  const ack = await client.command(sessionId, { type: "fork", ...title });
  return commandResult("fork", ack).sessionId;
}

/** Maps configuration keys from the command line to settings of a continued session. */
const SETTING_OF: Readonly<Record<string, keyof Settings>> = {
  "council.mode": "mode",
  "council.auto_rounds": "auto_rounds",
  "council.timeout": "timeout",
  "council.preamble": "preamble",
  "council.writable": "writable",
  "requests.timeout": "request_timeout",
  "prompts.council": "prompt",
};
const LIMIT = /^council\.limits\.(session\.)?(turns|minutes|tokens|usd)$/;

/** True for keys that only apply to a new session or to the start of its host process. */
function isOfNewSession({ path }: Setting): boolean {
  return SETTING_OF[path] === undefined && !LIMIT.test(path);
}

/** Only the differences. Throws a Failure for a key that a continued session cannot change. */
function changedSettings(overridden: readonly Setting[], before: Settings): Partial<Settings> {
  const clash = overridden.find(isOfNewSession);
  if (clash !== undefined) {
    const origin = clash.origin.split(", ").at(-1) ?? "";
    throw usageFailure(
      `${origin} only applies to a new session and cannot be combined with --resume or -c`,
      hintFor(clash),
    );
  }
  const changes: Record<string, unknown> = Object.fromEntries(
    overridden.flatMap(({ path, value }) => (SETTING_OF[path] === undefined ? [] : [[SETTING_OF[path], value]])),
  );
  const limits = overridden.filter(({ path }) => LIMIT.test(path));
  if (limits.length > 0) changes["limits"] = changedLimits(limits, before.limits);
  const isNew = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[key as keyof Settings]);
  return Object.fromEntries(Object.entries(changes).filter(isNew));
}

function hintFor({ path }: Setting): string {
  if (!path.startsWith("approvals.")) return "Remove one of them";
  return "Use --allow instead, or set approvals in your configuration";
}

/** Keeps the session's total limits: part of them is spent, and ten times the new limit may be less. */
function changedLimits(overridden: readonly Setting[], before: Limits): Limits {
  const limits = { ...before, session: { ...before.session } };
  for (const { path, value } of overridden) {
    const [, ofSession, name] = LIMIT.exec(path) as unknown as [
      string,
      string | undefined,
      keyof Omit<Limits, "session">,
    ];
    if (ofSession === undefined) {
      limits.session[name] ??= before[name] * SESSION_LIMIT_FACTOR;
      limits[name] = value as number;
    } else limits.session[name] = value as number;
  }
  return limits;
}

/** Session picker on the terminal for `-p --resume` without an id. */
async function pickOnTerminal(client: Client): Promise<string> {
  if (wantsLines({})) {
    const hint = "Give an id, part of an id, or a title; -c continues the last session of this directory";
    throw usageFailure("--resume without a session needs a terminal to pick one", hint);
  }
  const sessions = await client.list();
  if (sessions.length === 0) {
    throw new Failure(exitCodes.noSuchSession, "unknown_session", "there are no sessions to continue yet", {
      hint: "Remove --resume to start one",
    });
  }
  const { runSessionPicker } = await import("../../tui/index.ts");
  const stop = new AbortController();
  const picked = await runSessionPicker({
    sessions,
    now: Date.now(),
    env: process.env,
    hasDirectory,
    isInForeground,
    signal: stop.signal,
  });
  if (picked !== undefined) return picked;
  throw new Failure(exitCodes.interrupted, "interrupted", "no session was chosen; nothing was sent");
}
