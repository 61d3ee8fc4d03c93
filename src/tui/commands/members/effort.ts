/** How hard a member's model thinks: named, or chosen from what its agent takes. */
import { firstWord } from "../../../kit/text/command-line.ts";
import type { MemberState } from "../../../transcript/index.ts";
import type { Choice } from "../../app/screen/port.ts";
import { completeMembers, memberArgument, pickNewMember, sessionMembers, shownTranscript } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { sendCommand } from "../send-command.ts";

const OWN = "default";

export const effort: ScreenCommand = {
  name: "effort",
  usage: "/effort [NAME [LEVEL]]",
  summary: "how hard a member's model thinks; default leaves it to the agent",
  group: "table",
  complete(screen, prefix) {
    const [, name, part = ""] = /^(\S+)\s+(.*)$/.exec(prefix) ?? [];
    if (name === undefined) return completeMembers(screen, prefix);
    const member = sessionMembers(screen).find((one) => one.name === name.replace(/^@/, ""));
    return [...(member?.capabilities.effort ?? []), OWN]
      .filter((level) => level.startsWith(part.toLowerCase()))
      .map((level) => ({ value: `${name} ${level}`, label: level, description: "" }));
  },
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (screen.sessionId === undefined) return await decideEffort(screen, word, rest);
    const member = word === "" ? await pickMember(screen) : memberNamed(screen, word);
    if (member === undefined) return;
    const level = rest === "" ? await pickLevel(screen, member) : rest;
    if (level === undefined || level === "") return;
    await switchTo(screen, member.name, level, member.state === "running" ? " from its next turn on" : "");
  },
};

/** Before the session has begun nobody has said which levels they take. */
async function decideEffort(screen: CommandScreen, given: string, wanted: string): Promise<void> {
  const name = given === "" ? await pickNewMember(screen, "Whose effort?") : memberArgument(screen, given);
  if (name === undefined) return;
  const level = wanted === "" ? await screen.askLine(`Effort of ${name}`) : wanted;
  if (level !== undefined && level !== "") await switchTo(screen, name, level);
}

async function switchTo(screen: CommandScreen, member: string, level: string, when = ""): Promise<void> {
  const chosen = level === OWN ? {} : { effort: level };
  const now = level === OWN ? "thinks as hard as its agent chooses" : `thinks with ${level} effort`;
  await sendCommand(screen, { type: "switch_effort", member, ...chosen }, `${member} ${now}${when}.`);
}

function memberNamed(screen: CommandScreen, given: string): MemberState {
  const name = memberArgument(screen, given);
  const member = sessionMembers(screen).find((one) => one.name === name);
  if (member === undefined) throw new UsageError("The session is still being fetched.");
  return member;
}

async function pickMember(screen: CommandScreen): Promise<MemberState | undefined> {
  shownTranscript(screen);
  const able = sessionMembers(screen).filter(({ capabilities }) => capabilities.effort !== undefined);
  const [only] = able;
  if (only === undefined) throw new UsageError("No member here can be told how hard to think.");
  if (able.length === 1) return only;
  const choices = able.map((one) => ({ label: one.name, description: one.effort ?? "its own choice", value: one }));
  return await screen.pick("Whose effort?", choices);
}

/** Undefined when the user left without a choice. */
async function pickLevel(
  screen: CommandScreen,
  { name, capabilities, effort: current }: MemberState,
): Promise<string | undefined> {
  const levels = capabilities.effort;
  if (levels === undefined)
    throw new UsageError(`${name} takes no reasoning effort: its agent offers no setting for it.`);
  const title = `Effort of ${name}`;
  if (levels.length === 0) return await screen.askLine(title, current ?? "");
  const choices: Choice<string>[] = [
    ...levels.map((level) => ({ label: level, description: "", value: level })),
    { label: OWN, description: "left to the agent", value: OWN },
  ];
  return await screen.pick(title, choices, { at: Math.max(0, levels.indexOf(current ?? "")) });
}
