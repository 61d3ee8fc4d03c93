import type { CommandBody } from "../../client/index.ts";
import type { Defaults, PlannedSession } from "./app-state.ts";

/**
 * A session created by its first message. It is shown once the host has accepted a message; if all are rejected it goes
 * to the trash, so that no empty session is left behind.
 */
export interface BeginningOptions {
  readonly create: (text: string) => Promise<string>;
  /** A message was accepted. `opening` is the opening it was written in. */
  readonly show: (sessionId: string, opening: number) => void;
  /** Must not delete what another client wrote meanwhile. */
  readonly putAway: (sessionId: string) => Promise<void>;
  /** It could not be deleted. */
  readonly onLeft: (why: string) => void;
}

interface Begun {
  readonly opening: number;
  readonly sessionId: Promise<string>;
  /** Messages without an acknowledgement. */
  open: number;
  isAccepted: boolean;
}

export interface FirstMessage {
  readonly opening: number;
  readonly text: string;
}

export interface Beginning {
  /** Rejects as `sendTo` does. A second message of the same opening goes to the same session. */
  send(first: FirstMessage, sendTo: (session: Promise<string>) => Promise<void>): Promise<void>;
}

export function createBeginning({ create, show, putAway, onLeft }: BeginningOptions): Beginning {
  let newest: Begun | undefined;

  function begin({ opening, text }: FirstMessage): Begun {
    if (newest?.opening === opening) return newest;
    newest = { opening, sessionId: create(text), open: 0, isAccepted: false };
    return newest;
  }

  async function end(begun: Begun): Promise<void> {
    // Later messages create another session.
    if (newest === begun) newest = undefined;
    const sessionId = await begun.sessionId.catch(() => undefined);
    if (begun.isAccepted || sessionId === undefined) return;
    await putAway(sessionId).catch((error: unknown) => onLeft(error instanceof Error ? error.message : String(error)));
  }

  return {
    async send(first, sendTo) {
      const begun = begin(first);
      begun.open += 1;
      try {
        await sendTo(begun.sessionId);
        if (!begun.isAccepted) show(await begun.sessionId, begun.opening);
        begun.isAccepted = true;
      } finally {
        begun.open -= 1;
        if (begun.open === 0) void end(begun);
      }
    },
  };
}

export function planSession(defaults: Defaults): PlannedSession {
  return { ...defaults, muted: [] };
}

/** Throws a message for commands that need a session. */
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
