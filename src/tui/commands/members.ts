/** Who sits at the table, and which model they use. */
import { AgentKind, MemberName } from "../../protocol/index.ts";
import { completeMembers, memberArgument, refuseArguments, seatedMembers } from "./arguments.ts";
import { UsageError, type ScreenCommand } from "./command.ts";
import { nearNames } from "./near-names.ts";
import { firstWord } from "../../kit/command-line.ts";
import { wish } from "./wish.ts";

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
  summary: "seats a member",
  group: "table",
  complete(_screen, prefix) {
    const [, name = "", kind = ""] = /^(\S+)\s+(\S*)$/.exec(prefix) ?? [];
    if (name === "") return kindCompletions(prefix, (found) => found);
    return kindCompletions(kind, (found) => `${name} ${found}`);
  },
  async run(screen, args) {
    const { word: name, rest } = firstWord(args);
    const { word: givenKind, rest: model } = firstWord(rest);
    const named = MemberName.safeParse(name);
    if (name === "") throw new UsageError("It takes a name.");
    if (!named.success) throw new UsageError(`"${name}" is no name: ${named.error.issues[0]?.message ?? ""}.`);
    if (seatedMembers(screen).some((member) => member.name === name)) {
      throw new UsageError(`There is a member "${name}" already.`);
    }
    const kind = kindArgument(givenKind === "" ? name : givenKind);
    const spec = { name, kind, ...(model === "" ? {} : { model }) };
    await wish(screen, { type: "add_member", spec }, `${name} sits at the table (${[kind, model].join(" ").trim()}).`);
  },
};

function kindArgument(given: string): AgentKind {
  const kind = AgentKind.safeParse(given);
  if (kind.success) return kind.data;
  const near = nearNames(given, AgentKind.options);
  const hint = near.length === 0 ? `Kinds: ${AgentKind.options.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
  throw new UsageError(`"${given}" is no kind of agent. ${hint}`);
}

function kindCompletions(prefix: string, valueOf: (kind: string) => string) {
  return AgentKind.options
    .filter((kind) => kind.startsWith(prefix))
    .map((kind) => ({ value: valueOf(kind), label: kind, description: "kind of agent" }));
}

export const remove: ScreenCommand = {
  name: "remove",
  usage: "/remove NAME",
  summary: "a member leaves the table",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const member = memberArgument(screen, args.trim());
    await wish(screen, { type: "remove_member", member }, `${member} left the table.`);
  },
};
