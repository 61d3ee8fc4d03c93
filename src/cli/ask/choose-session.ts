/** Chooses the session of a question: an existing one, or a new one with the chosen members. */
import type { AttachedFile, Client } from "../../client/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { AskFlags } from "../flags.ts";
import type { Setting } from "../config/environment.ts";
import type { Config } from "../config/load-config.ts";
import type { MemberResolver } from "../members/resolver.ts";
import { effortsFor } from "../members/efforts.ts";
import { modelsFor } from "../members/models.ts";
import { findSession } from "../sessions/find-session.ts";
import { checkAddressees, checkMembers, sessionSettings } from "../members/members.ts";
import { newestIn, noLastSession } from "../sessions/newest-session.ts";
import { pickOnTerminal } from "../sessions/pick-session.ts";
import { usageFailure } from "../../kit/failure.ts";
import { isOfNewSession } from "./changed-settings.ts";
import { checkAllowed, resumeSession } from "./resume-session.ts";
import { textWithoutStdin } from "./prompt-input.ts";
import { sessionTitle } from "../../transcript/index.ts";

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
}

export async function chooseSession(
  client: Client,
  { config, overridden = [], resolver, flags, cwd, prompt, files = [] }: Choice,
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
  const members = await withEfforts(withModels(await resolver.members(), flags.model), flags.effort);
  const names = members.map((spec) => spec.name);
  checkAddressees(flags.to ?? [], names);
  checkMembers(flags.allowUnguarded ?? [], names, "--allow-unguarded");
  const settings = sessionSettings(config, members);
  checkAllowed(flags.allow, settings.writable);
  const { sessionId } = await client.create({
    cwd,
    title: flags.name ?? sessionTitle(textWithoutStdin(prompt) || (files[0]?.name ?? "")),
    settings,
    members,
  });
  return { sessionId, isNew: true, begun: { members: names, cwd } };
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
