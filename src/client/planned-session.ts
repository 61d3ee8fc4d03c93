/** A session before its first message: everything that can be decided about it without a host. */
import type { CreateRequest } from "./calls.ts";
import type { Client, CommandBody } from "./client-port.ts";

/** From the configuration. */
export type SessionDefaults = Readonly<Omit<CreateRequest, "title" | "members">> & {
  readonly members: readonly CreateRequest["members"][number][];
};

/** The session that starts with the next message. */
export interface PlannedSession extends SessionDefaults {
  /** Muted right after creation, before the first message is sent. */
  readonly muted: readonly string[];
}

type Member = SessionDefaults["members"][number];

export function planSession(defaults: SessionDefaults): PlannedSession {
  return { ...defaults, muted: [] };
}

/** Throws a message for commands that need a session. */
export function changePlan(plan: PlannedSession, body: CommandBody): PlannedSession {
  switch (body.type) {
    case "set_settings":
      return { ...plan, settings: { ...plan.settings, ...(body.settings as SessionDefaults["settings"]) } };
    case "add_member":
      return withMember(plan, body.spec);
    case "remove_member":
      return withoutMember(plan, body.member);
    case "mute":
      checkMember(plan, body.member);
      return { ...plan, muted: [...new Set([...plan.muted, body.member])] };
    case "unmute":
      checkMember(plan, body.member);
      return { ...plan, muted: plan.muted.filter((name) => name !== body.member) };
    case "switch_model":
      return withModel(plan, body.member, body.model);
    case "switch_effort":
      return withEffort(plan, body.member, body.effort);
    default:
      throw new Error("Send a message first to start a session.");
  }
}

/** Resolves with the id of the new session. */
export async function createPlanned(
  client: Pick<Client, "create" | "command">,
  { muted, members, ...planned }: PlannedSession,
  title: string,
): Promise<string> {
  const { sessionId } = await client.create({ ...planned, members: [...members], title });
  for (const member of muted) {
    const ack = await client.command(sessionId, { type: "mute", member });
    if (!ack.ok) throw new Error([ack.error.message, ack.error.hint].filter(Boolean).join(" "));
  }
  return sessionId;
}

function withMember(plan: PlannedSession, spec: Member): PlannedSession {
  if (plan.members.some(({ name }) => name === spec.name)) {
    throw new Error(`There is already a member "${spec.name}".`);
  }
  return { ...plan, members: [...plan.members, spec] };
}

function withoutMember(plan: PlannedSession, name: string): PlannedSession {
  const member = checkMember(plan, name);
  if (plan.members.length === 1) throw new Error("A session needs at least one member; add another one first.");
  return {
    ...plan,
    members: plan.members.filter((one) => one !== member),
    muted: plan.muted.filter((one) => one !== name),
  };
}

function withModel(plan: PlannedSession, name: string, model: string): PlannedSession {
  const member = checkMember(plan, name);
  if (member.kind === "embedded") throw new Error(`${name} has no model to switch.`);
  return replaceMember(plan, member, { ...member, model });
}

/** Without a level the agent decides. */
function withEffort(plan: PlannedSession, name: string, effort: string | undefined): PlannedSession {
  const member = checkMember(plan, name);
  if (member.kind === "embedded") throw new Error(`${name} has no reasoning effort to set.`);
  const { effort: _before, ...rest } = member;
  return replaceMember(plan, member, effort === undefined ? rest : { ...rest, effort });
}

function replaceMember(plan: PlannedSession, before: Member, after: Member): PlannedSession {
  return { ...plan, members: plan.members.map((one) => (one === before ? after : one)) };
}

function checkMember({ members }: PlannedSession, name: string): Member {
  const member = members.find((one) => one.name === name);
  if (member !== undefined) return member;
  throw new Error(`There is no member "${name.slice(0, 40)}". Members: ${members.map((one) => one.name).join(", ")}.`);
}
