/** What the flags ask of a session that goes on, before the question: a copy of it, the right to write, models. */
import type { Client } from "../../client/index.ts";
import { granted } from "../../protocol/index.ts";
import type { AskFlags } from "../args.ts";
import { modelsFor } from "../member-models.ts";
import { readHead } from "../session-view.ts";

type GoOnFlags = Pick<AskFlags, "fork" | "name" | "writable" | "model">;

/** The id of the session to ask. What is as it was asked for already is not changed. */
export async function goOn(client: Client, given: string, flags: GoOnFlags): Promise<string> {
  const sessionId = flags.fork === true ? await forkOf(client, given, flags.name) : given;
  if (flags.writable !== true && flags.model === undefined) return sessionId;
  const { head } = await readHead(client, sessionId);
  const seated = Object.values(head.members).flatMap(({ seated: isSeated, spec }) => (isSeated ? [spec] : []));
  const models = [...modelsFor(flags.model ?? [], seated)].filter(
    ([name, model]) => head.members[name]?.model !== model,
  );
  if (flags.writable === true && head.settings?.writable !== true) {
    granted(await client.command(sessionId, { type: "set_settings", settings: { writable: true } }));
  }
  for (const [member, model] of models) {
    granted(await client.command(sessionId, { type: "switch_model", member, model }));
  }
  return sessionId;
}

async function forkOf(client: Client, sessionId: string, name: string | undefined): Promise<string> {
  const title = name === undefined ? {} : { title: name };
  const { result } = granted(await client.command(sessionId, { type: "fork", ...title }));
  return (result as { sessionId: string }).sessionId;
}
