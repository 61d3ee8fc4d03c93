/** Who sits at the table, and which model they use. */
import { AgentKind, MemberName, type MemberSpec } from "../../../protocol/index.ts";
import { completeMembers, memberArgument, refuseArguments, sessionMembers } from "../arguments.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import { nearNames } from "../near-names.ts";
import { firstWord } from "../../../kit/text/command-line.ts";
import { sendCommand } from "../send-command.ts";

export const members: ScreenCommand = {
  name: "members",
  aliases: ["agents"],
  usage: "/members",
  summary: "shows the members: state, model, abilities, context, cost",
  group: "table",
  run(screen, args) {
    refuseArguments(args);
    screen.showMembers();
  },
};

export const add: ScreenCommand = {
  name: "add",
  usage: "/add NAME [KIND] [MODEL]",
  summary: "seats a member that is configured or found, or another one of its kind under a name of yours",
  group: "table",
  async complete(screen, prefix) {
    const [, name = "", kind = ""] = /^(\S+)\s+(\S*)$/.exec(prefix) ?? [];
    const specs = await screen.candidateMembers();
    if (name !== "") return offered([...specs, ...bareKinds(specs)], kind, (value) => `${name} ${value}`);
    const joined = new Set(sessionMembers(screen).map((member) => member.name));
    return offered(
      [...specs, ...bareKinds(specs)].filter((spec) => !joined.has(spec.name)),
      prefix,
      (value) => value,
    );
  },
  async run(screen, args) {
    const { word: given, rest } = firstWord(args);
    const { word: like, rest: model } = firstWord(rest);
    const name = given.replace(/^@/, "");
    const named = MemberName.safeParse(name);
    if (name === "") throw new UsageError("It takes a name.");
    if (!named.success) throw new UsageError(`"${name}" is no name: ${named.error.issues[0]?.message ?? ""}.`);
    if (sessionMembers(screen).some((member) => member.name === name)) {
      throw new UsageError(`There is a member "${name}" already.`);
    }
    const known = await specFor(screen, like === "" ? name : like);
    const spec = { ...known, name, ...(model === "" ? {} : { model }) };
    const details = [spec.kind, spec.model ?? ""].join(" ").trim();
    await sendCommand(screen, { type: "add_member", spec }, `${name} sits at the table (${details}).`);
  },
};

/** By the name it has in the configuration or where it was found, else by its kind. */
async function specFor(screen: CommandScreen, given: string): Promise<MemberSpec> {
  const specs = await screen.candidateMembers();
  const known = [...specs, ...bareKinds(specs)];
  const spec = known.find(({ name }) => name === given);
  if (spec !== undefined) return spec;
  const near = nearNames(
    given,
    known.map(({ name }) => name),
  );
  const names = `To seat there are: ${specs.map(({ name }) => name).join(", ") || "none by name"}. Kinds: ${AgentKind.options.join(", ")}.`;
  throw new UsageError(
    `There is no agent "${given}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`} ${names}`,
  );
}

/** Kinds whose name nobody has who can be seated. */
function bareKinds(specs: readonly MemberSpec[]): MemberSpec[] {
  return AgentKind.options
    .filter((kind) => specs.every(({ name }) => name !== kind))
    .map((kind) => ({ name: kind, kind }));
}

function offered(specs: readonly MemberSpec[], prefix: string, valueOf: (name: string) => string) {
  const wanted = prefix.replace(/^@/, "");
  return specs
    .filter(({ name }) => name.startsWith(wanted))
    .map(({ name, kind, model }) => ({
      value: valueOf(name),
      label: name,
      description: name === kind && model === undefined ? "kind of agent" : [kind, model ?? ""].join(" ").trim(),
    }));
}

export const remove: ScreenCommand = {
  name: "remove",
  usage: "/remove NAME",
  summary: "a member leaves the table",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const member = memberArgument(screen, args.trim());
    await sendCommand(screen, { type: "remove_member", member }, `${member} left the table.`);
  },
};
