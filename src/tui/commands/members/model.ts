/** Which model a member uses: named, or chosen from those its program offers. */
import type { MemberState } from "../../../transcript/index.ts";
import type { Choice } from "../../app/screen/port.ts";
import { completeMembers, memberArgument, pickNewMember, sessionMembers, shownTranscript } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { nearNames } from "../near-names.ts";
import { firstWord } from "../../../kit/text/command-line.ts";
import { sendCommand } from "../send-command.ts";

export const model: ScreenCommand = {
  name: "model",
  usage: "/model [NAME [MODEL]]",
  summary: "a member uses another model; without one, they are shown to choose from",
  group: "table",
  complete(screen, prefix) {
    const [, name, part = ""] = /^(\S+)\s+(.*)$/.exec(prefix) ?? [];
    if (name === undefined) return completeMembers(screen, prefix);
    const member = sessionMembers(screen).find((one) => one.name === name.replace(/^@/, ""));
    return (member?.models ?? [])
      .filter(({ id }) => id.toLowerCase().startsWith(part.toLowerCase()))
      .map((one) => ({ value: `${name} ${one.id}`, label: one.id, description: formatModelOffer(one).join(" · ") }));
  },
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (screen.sessionId === undefined) return await decideModel(screen, word, rest);
    const member = word === "" ? await pickMember(screen) : memberNamed(screen, word);
    if (member === undefined) return;
    const wanted = rest === "" ? await pickModel(screen, member) : rest;
    if (wanted === undefined || wanted === "") return;
    await switchTo(screen, member.name, wanted);
  },
};

/** Before the session has begun nobody has said what they offer. */
async function decideModel(screen: CommandScreen, given: string, wanted: string): Promise<void> {
  const name = given === "" ? await pickNewMember(screen, "Whose model?") : memberArgument(screen, given);
  if (name === undefined) return;
  const model = wanted === "" ? await screen.askLine(`Model of ${name}`) : wanted;
  if (model !== undefined && model !== "") await switchTo(screen, name, model);
}

/** The member as it is now: it may have begun or ended a turn while somebody chose. */
async function switchTo(screen: CommandScreen, member: string, wanted: string): Promise<void> {
  const { state, models = [] } = sessionMembers(screen).find((one) => one.name === member) ?? {};
  const done =
    state === "running"
      ? `${member} uses ${wanted} from its next turn on; the running one ends as it began.`
      : `${member} now uses ${wanted}.`;
  const offered = models.map(({ id }) => id);
  const isListed = offered.length === 0 || offered.includes(wanted);
  const body = { type: "switch_model" as const, member, model: wanted };
  if (isListed) await sendCommand(screen, body, done);
  else await sendCommand(screen, body, `${done} ${unlisted(member, wanted, offered)}`, "warn");
}

/** It may work all the same: some servers answer to names that they do not list. */
function unlisted(member: string, wanted: string, offered: readonly string[]): string {
  const near = nearNames(wanted, offered);
  const hint = near.length === 0 ? "/model lists what there is." : `Did you mean ${near.join(" or ")}?`;
  return `It is not among the models that ${member} offers. ${hint}`;
}

function memberNamed(screen: CommandScreen, given: string): MemberState {
  const name = memberArgument(screen, given);
  const member = sessionMembers(screen).find((one) => one.name === name);
  if (member === undefined) throw new UsageError("The session is still being fetched.");
  return member;
}

async function pickMember(screen: CommandScreen): Promise<MemberState | undefined> {
  shownTranscript(screen);
  const members = sessionMembers(screen);
  const [only] = members;
  if (only === undefined) throw new UsageError("Nobody is seated.");
  if (members.length === 1) return only;
  return await screen.pick(
    "Whose model?",
    members.map((member) => ({
      label: member.name,
      description: [modelOf(member), member.spec.kind, ...formatModelCount(member)].join(" · "),
      value: member,
    })),
  );
}

/** Undefined when the user left without a choice. */
async function pickModel(screen: CommandScreen, member: MemberState): Promise<string | undefined> {
  const offered = member.models ?? [];
  const title = `Model of ${member.name}${member.state === "running" ? ", from its next turn on" : ""}`;
  if (offered.length === 0) return await screen.askLine(title, member.model ?? member.spec.model ?? "");
  const choices: Choice<string>[] = [
    ...offered.map((one) => ({ label: one.id, description: formatModelOffer(one).join(" · "), value: one.id })),
    { label: "Another model …", description: "write its name", value: "" },
  ];
  const current = offered.findIndex(({ id }) => id === (member.model ?? member.spec.model));
  const picked = await screen.pick(title, choices, { at: Math.max(0, current) });
  return picked === "" ? await screen.askLine(title) : picked;
}

function modelOf({ model, spec }: MemberState): string {
  return `uses ${model ?? spec.model ?? "its own choice"}`;
}

function formatModelCount({ models = [] }: MemberState): string[] {
  return models.length === 0 ? [] : [`${models.length} to choose from`];
}

function formatModelOffer({ id, name, description }: NonNullable<MemberState["models"]>[number]): string[] {
  return [...(name === undefined || name === id ? [] : [name]), ...(description === undefined ? [] : [description])];
}
