/** Membership: join, leave, mute, model and effort. */

import { withoutCredentials } from "../kit/url-credentials.ts";
import {
  RoundtableError,
  type Capabilities,
  type CommandOf,
  type EventDraft,
  type MemberSpec,
  type Command,
} from "../protocol/index.ts";
import { EVERYONE } from "./delivery/addressing.ts";
import { dropPending } from "./delivery/delivery.ts";
import { fitEvent } from "./fit-event.ts";
import { stopLeaving } from "./turn/interrupt.ts";
import { MEMBERS_MAX } from "./limits.ts";
import { memberOf, noSuchMember, joinedMembers, type SessionState } from "./state.ts";

/** Throws when the new members cannot join beside the present ones. */
export function checkJoining(joining: readonly MemberSpec[], joined: readonly string[]): void {
  const names = new Set(joined);
  for (const { name } of joining) {
    if (name === EVERYONE) {
      throw new RoundtableError("bad_command", `No member can be named "${EVERYONE}": it stands for everyone.`);
    }
    if (names.has(name)) {
      throw new RoundtableError("conflict", `A member "${name}" is already in the session.`, {
        hint: "Give the new member another name.",
      });
    }
    names.add(name);
  }
  if (names.size > MEMBERS_MAX) {
    throw new RoundtableError("too_large", `At most ${MEMBERS_MAX} members can join a session.`, {
      hint: "Remove one first.",
    });
  }
}

export function addMember(state: SessionState, given: MemberSpec): void {
  const { baseUrl } = given;
  const spec = baseUrl === undefined ? given : { ...given, baseUrl: withoutCredentials(baseUrl) };
  const joined = joinedMembers(state);
  checkJoining(
    [spec],
    joined.map((member) => member.name),
  );
  const capabilities = state.capabilitiesOf(spec);
  checkEffort(spec.name, capabilities, spec.effort);
  const draft = fitEvent({ type: "member_joined", member: spec.name, spec, capabilities });
  if (draft.type !== "member_joined" || JSON.stringify(draft.spec) !== JSON.stringify(spec)) {
    throw new RoundtableError("too_large", `The description of member "${spec.name}" is too large.`);
  }
  state.ledger.append([draft]);
  // When all members are held, a new one is too.
  const isQuiet = joined.length > 0 && joined.every((member) => state.held.has(member.name));
  if (isQuiet) state.held.add(spec.name);
  else state.held.delete(spec.name);
}

/** Stops a running turn first; its output is kept. */
export function removeMember(state: SessionState, name: string): void {
  requireMember(state, name);
  const running = state.turns.get(name);
  if (running !== undefined) stopLeaving(state, running);
  state.retries.delete(name);
  dropPending(state, name, "member_left");
  state.ledger.append([{ type: "member_left", member: name, reason: "removed" }]);
  // Nobody waits for the agent to exit; closing has its own timeout.
  void state.removeRuntime(name);
  state.schedule();
}

/** A running turn continues; pending messages are dropped. */
export function muteMember(state: SessionState, name: string): void {
  if (requireMember(state, name).muted) return;
  state.ledger.append([{ type: "member_muted", member: name }]);
  state.retries.delete(name);
  dropPending(state, name, "muted");
}

export function unmuteMember(state: SessionState, name: string): void {
  if (requireMember(state, name).muted) state.ledger.append([{ type: "member_unmuted", member: name }]);
}

/** Mutes do not survive reopening: a newly opened session has every member unmuted. */
export function unmuteOnOpen(state: SessionState): EventDraft[] {
  return joinedMembers(state)
    .filter((member) => member.muted)
    .map(({ name }) => ({ type: "member_unmuted", member: name, reason: "reopened" }));
}

export function switchModel(state: SessionState, command: CommandOf<"switch_model">): void {
  const member = requireMember(state, command.member);
  const from = member.model;
  state.ledger.append([
    { type: "model_switched", member: member.name, model: command.model, ...(from === undefined ? {} : { from }) },
  ]);
  const runtime = state.runtimeOf(member.name);
  if (!runtime.capabilities().switchModel) runtime.replaceAtNextTurn();
}

/** Throws when the agent does not accept this reasoning effort. */
export function checkEffort(name: string, { effort: levels }: Capabilities, effort: string | undefined): void {
  if (effort === undefined || levels?.includes(effort) === true || levels?.length === 0) return;
  if (levels === undefined) {
    throw new RoundtableError("unsupported", `${name} does not support a reasoning effort.`, {
      hint: "Choose another model instead.",
    });
  }
  throw new RoundtableError("bad_command", `${name} does not support the reasoning effort "${effort}".`, {
    hint: `It supports ${levels.join(", ")}.`,
  });
}

/** From its next turn on: a new agent resumes its session. */
export function switchEffort(state: SessionState, { member: name, effort }: CommandOf<"switch_effort">): void {
  const member = requireMember(state, name);
  const runtime = state.runtimeOf(name);
  checkEffort(name, runtime.capabilities(), effort);
  const from = member.effort;
  if (effort === from) return;
  const draft = { type: "effort_switched", member: name } as const;
  state.ledger.append([
    { ...draft, ...(effort === undefined ? {} : { effort }), ...(from === undefined ? {} : { from }) },
  ]);
  runtime.replaceAtNextTurn();
}

function requireMember(state: SessionState, name: string) {
  const member = memberOf(state, name);
  if (member?.seated === true) return member;
  throw noSuchMember(state, name);
}

/** Grace for a page reload or a dropped connection. */
export const SCREEN_BACK_MS = 2_000;

interface ScreenMutes {
  /** The command was executed. */
  note(command: Command, clientId: string): void;
  clientLeft(): void;
  close(): void;
}

/**
 * Ends mutes with the screens they were made on: when the last client that follows the session leaves, members muted
 * from one are unmuted. A mute by a client that follows nothing stays until the session is reopened.
 */
export function createScreenMutes(state: SessionState, followers: ReadonlyMap<string, unknown>): ScreenMutes {
  const muted = new Set<string>();
  let cancel: (() => void) | undefined;

  function unmuteAll(): void {
    cancel = undefined;
    if (followers.size > 0 || state.isClosed) return;
    for (const name of muted) if (memberOf(state, name)?.seated === true) unmuteMember(state, name);
    muted.clear();
  }

  return {
    note(command, clientId) {
      if (command.type === "mute" && followers.has(clientId)) muted.add(command.member);
      if (command.type === "unmute") muted.delete(command.member);
    },
    clientLeft() {
      if (followers.size > 0 || muted.size === 0) return;
      cancel?.();
      cancel = state.clock.after(SCREEN_BACK_MS, unmuteAll);
    },
    close: () => cancel?.(),
  };
}
