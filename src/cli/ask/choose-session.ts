/** The session a question goes to: the one to resume, or a new one with the chosen members. */
import type { Client } from "../../client/index.ts";
import type { AskFlags } from "../args.ts";
import type { Config } from "../config/load-config.ts";
import type { Seating } from "../seating.ts";
import { findSession } from "../find-session.ts";
import { checkAddressees, sessionSettings } from "../members.ts";
import { newestIn } from "../newest-session.ts";
import { exitCodes } from "../exit-codes.ts";
import { Failure, usageFailure } from "../failure.ts";
import { shorten } from "../print/block-lines.ts";

export interface ChosenSession {
  sessionId: string;
  isNew: boolean;
}

interface Choice {
  config: Config;
  seating: Seating;
  flags: AskFlags;
  cwd: string;
  prompt: string;
}

const TITLE_CHARS_MAX = 80;

export async function chooseSession(
  client: Client,
  { config, seating, flags, cwd, prompt }: Choice,
): Promise<ChosenSession> {
  if (flags.resume === true) {
    throw usageFailure("--resume needs a session's id when a question is asked", "-c goes on in the last one");
  }
  const newest = flags.orNew === true ? newestIn(await client.list(), cwd) : undefined;
  if (newest !== undefined && flags.members === undefined && flags.name === undefined) {
    return { sessionId: newest.sessionId, isNew: false };
  }
  if (flags.resume !== undefined || flags.continue === true) {
    const clash = flags.members !== undefined ? "--members" : flags.name !== undefined ? "--name" : undefined;
    if (clash !== undefined) {
      throw usageFailure(`${clash} is for a new session and cannot go with --resume or -c`, "Leave one of them out");
    }
    return { sessionId: await wantedSession(client, flags.resume, cwd), isNew: false };
  }
  const members = await seating.members();
  checkAddressees(
    flags.to ?? [],
    members.map((spec) => spec.name),
  );
  const { sessionId } = await client.create({
    cwd,
    title: flags.name ?? shorten(prompt, TITLE_CHARS_MAX),
    settings: sessionSettings(config, members),
    members,
  });
  return { sessionId, isNew: true };
}

async function wantedSession(client: Client, id: string | undefined, cwd: string): Promise<string> {
  if (id !== undefined) return await findSession(client, id);
  const newest = newestIn(await client.list(), cwd);
  if (newest !== undefined) return newest.sessionId;
  throw new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session of ${cwd} to go on with`, {
    hint: "Leave -c out to begin one; roundtable sessions list shows those of other directories",
  });
}
