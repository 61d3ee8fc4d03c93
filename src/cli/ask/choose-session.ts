/** The session a question goes to: the one to resume, or a new one with the chosen members. */
import type { Client } from "../../client/index.ts";
import type { AskFlags } from "../args.ts";
import type { Config } from "../config/load-config.ts";
import type { Seating } from "../seating.ts";
import { findSession } from "../find-session.ts";
import { checkAddressees, sessionSettings } from "../members.ts";
import { usageFailure } from "../failure.ts";
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
  if (flags.resume !== undefined) {
    const clash = flags.members !== undefined ? "--members" : flags.name !== undefined ? "--name" : undefined;
    if (clash !== undefined) {
      throw usageFailure(`${clash} is for a new session and cannot go with --resume`, "Leave one of them out");
    }
    return { sessionId: await findSession(client, flags.resume), isNew: false };
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
