/**
 * What this machine does for whom, decided here and not by the server. Whoever sent a command is what the server says, so
 * its word alone never approves anything in the name of others: answers of drivers and other owners count where that was
 * opened on this machine. Nobody outside brings programs: members are those that this machine has configured.
 */
import {
  FOR_ALWAYS,
  FOR_SESSION,
  RoundtableError,
  senderOf,
  type Command,
  type CommandOf,
  type MemberSpec,
} from "../../protocol/index.ts";
import { commandAction, may, type Role } from "../people/may.ts";
import type { Offer, StartSession } from "../frames.ts";

export interface OwnerRules {
  /** Id of the machine's owner: the name may later be given to somebody else. */
  readonly owner: string;
  /** From outside nobody gets more than the driver role, not even the owner. */
  readonly areMessagesOnly: boolean;
  readonly areAnswersOpen: (sessionId: string) => boolean;
  readonly isOwnerOf: (personId: string, session: { readonly sessionId: string; readonly cwd: string }) => boolean;
  readonly offerFor: (cwd: string) => Offer | undefined;
}

interface Sent<Sendable> {
  readonly sender: string;
  readonly command: Sendable;
}

/** The command as this machine runs it. Throws if it is not allowed. */
export function checkCommand(
  rules: OwnerRules,
  { sender, command, session }: Sent<Command> & { session: { sessionId: string; cwd: string } },
): Command {
  const { sessionId, cwd } = session;
  const role = roleOf(rules, sender, session);
  // Only the role counts: a sender must not become the owner through what the server calls them.
  const target = { kind: "session", sessionId, runnerId: "", owner: "owner", cwd } as const;
  const grants = [{ person: "sender", role, on: { sessionId } }];
  const answersOpen = !rules.areMessagesOnly && rules.areAnswersOpen(sessionId);
  const principal = { person: "sender", device: "", scopes: ["use"] } as const;
  const verdict = may(principal, commandAction(command), { ...target, grants, answersOpen });
  if (verdict !== "yes") {
    throw new RoundtableError("unsupported", "This session's machine does not allow that remotely.", {
      hint: rules.areMessagesOnly
        ? "It was joined with --messages-only. Do it on the machine itself."
        : `Its owner can allow it, on the machine itself: roundtable team answers on ${sessionId}`,
    });
  }
  if (command.type === "answer") return role === "owner" ? command : withinSession(command);
  if (command.type !== "add_member") return command;
  return { ...command, spec: knownMember(rules.offerFor(cwd), command.spec) };
}

/** Requests were opened to drivers for one session only, so an "always" of theirs becomes a grant for that session. */
function withinSession(command: CommandOf<"answer">): Command {
  return command.result === FOR_ALWAYS ? { ...command, result: FOR_SESSION } : command;
}

function roleOf(
  { owner, areMessagesOnly, isOwnerOf }: OwnerRules,
  sender: string,
  session: { sessionId: string; cwd: string },
): Role {
  const person = senderOf(sender)?.id;
  if (areMessagesOnly || person === undefined) return "driver";
  return person === owner || isOwnerOf(person, session) ? "owner" : "driver";
}

export interface CheckedStart {
  /** The shared folder that contains the session's directory. */
  readonly folder: string;
  readonly members: MemberSpec[];
  readonly settings: Offer["settings"];
}

/** Members and settings of this machine; the owner may choose others. */
export function checkStart(rules: OwnerRules, { sender, command }: Sent<StartSession>): CheckedStart {
  const offer = rules.offerFor(command.cwd);
  if (offer === undefined) {
    throw new RoundtableError("unsupported", `${command.cwd} is not a folder that this machine shares.`, {
      hint: "Its owner sets the folders with roundtable join --folders.",
    });
  }
  const members = command.members?.map((spec) => knownMember(offer, spec)) ?? offer.members;
  const isOwner = !rules.areMessagesOnly && senderOf(sender)?.id === rules.owner;
  const { mirror: _mirror, ...chosen } = (isOwner ? command.settings : undefined) ?? offer.settings;
  return {
    folder: offer.folder,
    members: [...members],
    settings: { ...chosen, order: members.map(({ name }) => name) },
  };
}

/** Program, address and variables come from this machine; model and effort can be chosen. */
function knownMember(offer: Offer | undefined, { name, model, effort }: MemberSpec): MemberSpec {
  const known = offer?.members.find((one) => one.name === name);
  if (known === undefined) {
    throw new RoundtableError("bad_command", `This machine offers no member "${name}".`, {
      hint: `It offers ${offer?.members.map((one) => one.name).join(", ") ?? "none there"}.`,
    });
  }
  return { ...known, ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) };
}
