/** What the session that begins with the next message will be: what is set before there is one is kept here. */
import type { CommandBody } from "../../client/index.ts";
import type { Defaults } from "./app-state.ts";

export interface PlannedSession extends Defaults {
  /** Muted as soon as the session is there, before the first message is sent. */
  readonly muted: readonly string[];
}

export function planSession(defaults: Defaults): PlannedSession {
  return { ...defaults, muted: [] };
}

/** Throws a sentence for what needs a session. */
export function changePlan(plan: PlannedSession, body: CommandBody): PlannedSession {
  switch (body.type) {
    case "set_settings":
      return { ...plan, settings: { ...plan.settings, ...(body.settings as Defaults["settings"]) } };
    case "add_member":
      return { ...plan, members: [...plan.members, body.spec] };
    case "remove_member":
      if (plan.members.length === 1) throw new Error("A session needs a member; add another one first.");
      return {
        ...plan,
        members: plan.members.filter(({ name }) => name !== body.member),
        muted: plan.muted.filter((name) => name !== body.member),
      };
    case "mute":
      checkMember(plan, body.member);
      return { ...plan, muted: [...new Set([...plan.muted, body.member])] };
    case "unmute":
      checkMember(plan, body.member);
      return { ...plan, muted: plan.muted.filter((name) => name !== body.member) };
    case "switch_model":
      return withModel(plan, body.member, body.model);
    default:
      throw new Error("Send a message first to start a session.");
  }
}

function withModel(plan: PlannedSession, name: string, model: string): PlannedSession {
  const member = checkMember(plan, name);
  if (member.kind === "embedded") throw new Error(`${name} has no model to switch.`);
  return { ...plan, members: plan.members.map((one) => (one === member ? { ...one, model } : one)) };
}

function checkMember({ members }: PlannedSession, name: string): Defaults["members"][number] {
  const member = members.find((one) => one.name === name);
  if (member !== undefined) return member;
  throw new Error(`There is no member "${name.slice(0, 40)}". Members: ${members.map((one) => one.name).join(", ")}.`);
}
