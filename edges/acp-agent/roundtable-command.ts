/** Session commands typed into an editor's prompt. */
import { membersInOrder, type MemberState } from "../../src/transcript/index.ts";
import { toAnswerError } from "../../src/protocol/index.ts";
import type * as acpAgent from "./format/acp-agent.ts";
import type { CommandBody, AttachedSession } from "../../src/client/index.ts";

export interface CommandResult {
  /** The immediate reply to the editor. */
  readonly message: string;
  /** True when it starts turns. */
  readonly isAwaited: boolean;
}

const ROUNDS = /^[1-9]\d?$/;

export async function runRoundtableCommand(
  session: AttachedSession,
  command: acpAgent.RoundtableCommand,
): Promise<CommandResult> {
  const { name, argument } = command;
  const members = membersInOrder(session.head);
  if (name === "members") return done(members.map(memberLine).join("\n"));
  const needsMember = name === "mute" || name === "unmute";
  const member = members.find((one) => one.name === argument.replace(/^@/, ""));
  if ((needsMember && member === undefined) || (argument !== "" && name !== "round" && member === undefined)) {
    const known = members.map((one) => one.name).join(", ");
    return done(argument === "" ? `Name a member: ${known}.` : `There is no member "${argument}". Members: ${known}.`);
  }
  if (name === "round" && argument !== "" && !ROUNDS.test(argument))
    return done("Give a number of rounds from 1 to 99.");
  const body = toCommandBody(command, member?.name);
  if (body === undefined) return done(`There is no command /${name}.`);
  try {
    await session.commandOrThrow(body);
  } catch (error) {
    const { message, hint } = toAnswerError(error);
    return done(hint === undefined ? message : `${message} ${hint}`);
  }
  return { message: DONE_MESSAGES[name]?.(argument) ?? "", isAwaited: AWAITED.has(name) };
}

const AWAITED = new Set(["round", "continue", "retry", "minutes"]);

const DONE_MESSAGES: Readonly<Record<string, (argument: string) => string>> = {
  mute: (name) => `${name} is muted.`,
  unmute: (name) => `${name} answers again.`,
  clear: () => "Context cleared for everyone.",
  compact: (name) => `Compacted the context of ${name === "" ? "all members" : name}.`,
};

function toCommandBody(
  { name, argument }: acpAgent.RoundtableCommand,
  member: string | undefined,
): CommandBody | undefined {
  const of = member === undefined ? {} : { member };
  switch (name) {
    case "mute":
    case "unmute":
      return member === undefined ? undefined : { type: name, member };
    case "round":
      return { type: "round", ...(argument === "" ? {} : { rounds: Number(argument) }) };
    case "continue":
      return { type: "continue" };
    case "retry":
      return { type: "retry", ...of };
    case "compact":
      return { type: "compact", ...of };
    case "minutes":
      return { type: "minutes", ...(member === undefined ? {} : { by: member }) };
    case "clear":
      return { type: "clear" };
    default:
      return undefined;
  }
}

function memberLine({ name, spec, model, muted, state }: MemberState): string {
  const what = model ?? spec.model;
  return `- **${name}** (${spec.kind}${what === undefined ? "" : `, ${what}`})${muted ? ", muted" : ""}, ${state}`;
}

function done(message: string): CommandResult {
  return { message, isAwaited: false };
}
