/** /model and /effort: by name, or picked from what the agent offers. */
import { firstWord } from "../../kit/text/command-line.ts";
import type { MemberState } from "../../transcript/index.ts";
import type { Choice } from "../app/screen/port.ts";
import { type ModelMember, OWN_EFFORT } from "../overlays/model-overlay.ts";
import { colourOf, plannedColourOf } from "../panels/member-name.ts";
import {
  completeMembers,
  memberArgument,
  nearNames,
  pickPlannedMember,
  doneBeforeLog,
  sendCommand,
  sessionMembers,
  shownTranscript,
} from "./arguments.ts";
import { type CommandScreen, type ScreenCommand, UnavailableError } from "./command.ts";

const NO_EFFORT = "No member here has an effort setting.";

export const effort: ScreenCommand = {
  name: "effort",
  usage: "/effort [NAME [LEVEL]]",
  summary: "Set a member's reasoning effort",
  group: "table",
  complete(screen, prefix) {
    const [, name, part = ""] = /^(\S+)\s+(.*)$/.exec(prefix) ?? [];
    if (name === undefined) return completeMembers(screen, prefix);
    const member = sessionMembers(screen).find((one) => one.name === name.replace(/^@/, ""));
    return [...(member?.capabilities.effort ?? []), OWN_EFFORT]
      .filter((level) => level.startsWith(part.toLowerCase()))
      .map((level) => ({ value: `${name} ${level}`, label: level, description: "" }));
  },
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (screen.sessionId === undefined) return await decideEffort(screen, word, rest);
    const member = word === "" ? await pickMemberForEffort(screen) : memberWithEffort(screen, word);
    if (member === undefined) return;
    const level = rest === "" ? await pickLevel(screen, member) : rest;
    if (level === undefined || level === "") return;
    await switchEffort(screen, member.name, level);
  },
};

export const model: ScreenCommand = {
  name: "model",
  usage: "/model [NAME [MODEL]]",
  summary: "Change a member's model or effort",
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
    if (rest === "" && screen.pickModel !== undefined) return await chooseModel(screen, screen.pickModel, word);
    if (screen.sessionId === undefined) return await decideModel(screen, word, rest);
    const member = word === "" ? await pickMember(screen) : memberNamed(screen, word);
    if (member === undefined) return;
    const wanted = rest === "" ? await pickModel(screen, member) : rest;
    if (wanted === undefined || wanted === "") return;
    await switchTo(screen, member.name, wanted);
  },
};

/** Model and effort together, for every member. */
async function chooseModel(
  screen: CommandScreen,
  pickModel: NonNullable<CommandScreen["pickModel"]>,
  given: string,
): Promise<void> {
  const member = given === "" ? {} : { member: memberArgument(screen, given) };
  const members = listModelMembers(screen);
  if (members.length === 0) throw new UnavailableError("The members are not known yet.");
  const choice = await pickModel({ members, ...member });
  if (choice === undefined) return;
  const before = members.find(({ name }) => name === choice.member);
  const wanted = choice.model ?? (await screen.askLine(`Model of ${choice.member}`, before?.model ?? ""));
  if (wanted !== undefined && wanted !== "" && wanted !== before?.model) await switchTo(screen, choice.member, wanted);
  if (choice.effort !== undefined) await switchEffort(screen, choice.member, choice.effort);
}

function listModelMembers(screen: CommandScreen): ModelMember[] {
  if (screen.sessionId === undefined) {
    const members = screen.planned?.members ?? [];
    return members.map(({ name, kind, model, effort }) => ({
      name,
      colour: plannedColourOf(members, name),
      model,
      effort,
      models: [],
      isBuiltIn: kind === "embedded" && model === undefined,
    }));
  }
  return sessionMembers(screen).map(({ name, spec, model, effort, models = [], capabilities }) => ({
    name,
    colour: screen.transcript === undefined ? spec.color : colourOf(screen.transcript.head, name),
    model: model ?? spec.model,
    effort,
    models,
    efforts: capabilities.effort,
    isBuiltIn: spec.kind === "embedded" && (model ?? spec.model) === undefined && models.length === 0,
  }));
}

/** Before the session exists no agent has reported its models. */
async function decideModel(screen: CommandScreen, given: string, wanted: string): Promise<void> {
  const name =
    given === ""
      ? await pickPlannedMember(screen, "Change whose model?", "No member here has a model to choose.")
      : memberArgument(screen, given);
  if (name === undefined) return;
  const model = wanted === "" ? await screen.askLine(`Model of ${name}`) : wanted;
  if (model !== undefined && model !== "") await switchTo(screen, name, model);
}

/** Reads the member again: it may have started or ended a turn while the user chose. */
async function switchTo(screen: CommandScreen, member: string, wanted: string): Promise<void> {
  const { state, models = [] } = sessionMembers(screen).find((one) => one.name === member) ?? {};
  const done = doneBeforeLog(screen, `${member} now uses ${wanted}.`) || whenOf(member, state);
  const offered = models.map(({ id }) => id);
  const isListed = offered.length === 0 || offered.includes(wanted);
  const body = { type: "switch_model" as const, member, model: wanted };
  if (isListed) await sendCommand(screen, body, done);
  else await sendCommand(screen, body, `${done} ${unlisted(member, wanted, offered)}`.trim(), "ask");
}

function whenOf(member: string, state: MemberState["state"] | undefined): string {
  return state === "running" ? `${member} finishes its turn first.` : "";
}

/** May still work: some servers accept models that they do not list. */
function unlisted(member: string, wanted: string, offered: readonly string[]): string {
  const near = nearNames(wanted, offered);
  const hint = near.length === 0 ? "/model lists the available models." : `Did you mean ${near.join(" or ")}?`;
  return `${member} does not list ${wanted}. ${hint}`;
}

function memberNamed(screen: CommandScreen, given: string): MemberState {
  const name = memberArgument(screen, given);
  const member = sessionMembers(screen).find((one) => one.name === name);
  if (member === undefined) throw new UnavailableError("The session is still loading.");
  return member;
}

async function pickMember(screen: CommandScreen): Promise<MemberState | undefined> {
  shownTranscript(screen);
  const members = sessionMembers(screen);
  const [only] = members;
  if (only === undefined) throw new UnavailableError("There are no members.");
  if (members.length === 1) return only;
  return await screen.pick(
    "Change whose model?",
    members.map((member) => ({
      label: member.name,
      description: [modelOf(member), member.spec.kind, ...formatModelCount(member)].join(" · "),
      value: member,
    })),
  );
}

/** Undefined when nothing was chosen. */
async function pickModel(screen: CommandScreen, member: MemberState): Promise<string | undefined> {
  const offered = member.models ?? [];
  const title = `Model of ${member.name}${member.state === "running" ? ", from its next turn on" : ""}`;
  if (offered.length === 0) return await screen.askLine(title, member.model ?? member.spec.model ?? "");
  const choices: Choice<string>[] = [
    ...offered.map((one) => ({ label: one.id, description: formatModelOffer(one).join(" · "), value: one.id })),
    { label: "Other …", description: "type a name", value: "" },
  ];
  const current = offered.findIndex(({ id }) => id === (member.model ?? member.spec.model));
  const picked = await screen.pick(title, choices, { at: Math.max(0, current) });
  return picked === "" ? await screen.askLine(title) : picked;
}

function modelOf({ model, spec }: MemberState): string {
  return `uses ${model ?? spec.model ?? "its default model"}`;
}

function formatModelCount({ models = [] }: MemberState): string[] {
  return models.length === 0 ? [] : [`${models.length} to choose from`];
}

function formatModelOffer({ id, name, description }: NonNullable<MemberState["models"]>[number]): string[] {
  return [...(name === undefined || name === id ? [] : [name]), ...(description === undefined ? [] : [description])];
}

/** Before the session exists no agent has reported its levels. */
async function decideEffort(screen: CommandScreen, given: string, wanted: string): Promise<void> {
  const name =
    given === "" ? await pickPlannedMember(screen, "Change whose effort?", NO_EFFORT) : memberArgument(screen, given);
  if (name === undefined) return;
  const level = wanted === "" ? await screen.askLine(`Effort of ${name}`) : wanted;
  if (level !== undefined && level !== "") await switchEffort(screen, name, level);
}

async function switchEffort(screen: CommandScreen, member: string, level: string): Promise<void> {
  const { state } = sessionMembers(screen).find(({ name }) => name === member) ?? {};
  const chosen = level === OWN_EFFORT ? {} : { effort: level };
  const now = level === OWN_EFFORT ? "uses its default effort" : `uses ${level} effort`;
  const done = doneBeforeLog(screen, `${member} ${now}.`) || whenOf(member, state);
  await sendCommand(screen, { type: "switch_effort", member, ...chosen }, done);
}

function memberWithEffort(screen: CommandScreen, given: string): MemberState {
  const name = memberArgument(screen, given);
  const member = sessionMembers(screen).find((one) => one.name === name);
  if (member === undefined) throw new UnavailableError("The session is still loading.");
  return member;
}

async function pickMemberForEffort(screen: CommandScreen): Promise<MemberState | undefined> {
  shownTranscript(screen);
  const able = sessionMembers(screen).filter(({ capabilities }) => capabilities.effort !== undefined);
  const [only] = able;
  if (only === undefined) throw new UnavailableError(NO_EFFORT);
  if (able.length === 1) return only;
  const choices = able.map((one) => ({ label: one.name, description: one.effort ?? "default", value: one }));
  return await screen.pick("Change whose effort?", choices);
}

/** Undefined when nothing was chosen. */
async function pickLevel(
  screen: CommandScreen,
  { name, capabilities, effort: current }: MemberState,
): Promise<string | undefined> {
  const levels = capabilities.effort;
  if (levels === undefined) throw new UnavailableError(`${name} takes no effort setting.`);
  const title = `Effort of ${name}`;
  if (levels.length === 0) return await screen.askLine(title, current ?? "");
  const choices: Choice<string>[] = [
    ...levels.map((level) => ({ label: level, description: "", value: level })),
    { label: OWN_EFFORT, description: "decided by the agent", value: OWN_EFFORT },
  ];
  return await screen.pick(title, choices, { at: Math.max(0, levels.indexOf(current ?? "")) });
}
