/** Applies flags to a continued session before the question: fork, write access, models. */
import { type Client, type CommandBody, readHead } from "../../client/index.ts";
import { granted } from "../../protocol/index.ts";
import type { AskFlags } from "../flags.ts";
import type { Setting } from "../config/environment.ts";
import { usageFailure } from "../../kit/failure.ts";
import { effortsFor } from "../members/efforts.ts";
import { modelsFor } from "../members/models.ts";
import { changedSettings } from "./changed-settings.ts";

type ResumeFlags = Pick<AskFlags, "fork" | "name" | "writable" | "model" | "effort" | "allow"> & {
  /** Configuration keys from the command line. */
  readonly overridden?: readonly Setting[];
};

/** Returns the id of the session to ask. Validates everything before the first change, and skips settings already in place. */
export async function resumeSession(client: Client, given: string, flags: ResumeFlags): Promise<string> {
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
  const { result } = granted(await client.command(sessionId, { type: "fork", ...title }));
  return (result as { sessionId: string }).sessionId;
}
