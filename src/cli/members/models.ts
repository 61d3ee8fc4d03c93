/** Models from -m and reasoning efforts from --effort, by member. */
import { usageFailure } from "../../kit/failure.ts";
import { MEMBER_NAME, type AgentKind, type MemberSpec } from "../../protocol/index.ts";
import { unknownMember } from "./members.ts";

interface NamedMember {
  readonly name: string;
  readonly kind: AgentKind;
}

/** `NAME=MODEL` sets one member, a model alone all that have one. Throws a Failure when no member does. */
export function modelsFor(given: readonly string[], members: readonly NamedMember[]): Map<string, string> {
  const models = new Map<string, string>();
  for (const text of given) {
    const { name, value: model } = read(text);
    if (model === "") {
      throw usageFailure(`-m "${text}" has no model`, "Use -m MODEL, or -m NAME=MODEL for one member");
    }
    const meant = meantMembers({
      option: "-m",
      text,
      name,
      members,
      hasIt: ({ kind }) => kind !== "embedded",
      nobody: ["no member of this session has a model", "Choose members that have one with --members"],
      notThisOne: "is built in and has no model",
    });
    for (const member of meant) models.set(member.name, model);
  }
  return models;
}

/** `NAME=LEVEL` sets one member, a level alone all that support it. Throws a Failure when no member does. */
export async function effortsFor(
  given: readonly string[],
  members: readonly MemberSpec[],
): Promise<Map<string, string>> {
  const efforts = new Map<string, string>();
  if (given.length === 0) return efforts;
  const { effortLevels } = await import("../../agents/index.ts");
  for (const text of given) {
    const { name, value: level } = read(text);
    if (level === "") {
      throw usageFailure(`--effort "${text}" has no level`, "Use --effort LEVEL or --effort NAME=LEVEL");
    }
    const meant = meantMembers({
      option: "--effort",
      text,
      name,
      members,
      hasIt: (spec) => effortLevels(spec) !== undefined,
      nobody: ["no member of this session has a reasoning effort setting", "Remove it"],
      notThisOne: "has no reasoning effort setting",
    });
    for (const spec of meant) efforts.set(spec.name, checkedLevel(spec, level, effortLevels(spec) ?? []));
  }
  return efforts;
}

/** What is not a possible member name belongs to the value: model names may contain "=". */
function read(text: string): { name?: string; value: string } {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  const value = text.slice(at + 1).trim();
  if (at < 0) return { value };
  return MEMBER_NAME.test(name) || value === "" ? { name, value } : { value: text.trim() };
}

interface Meant<Member> {
  readonly option: string;
  readonly text: string;
  readonly name: string | undefined;
  readonly members: readonly Member[];
  readonly hasIt: (member: Member) => boolean;
  readonly nobody: readonly [message: string, hint: string];
  readonly notThisOne: string;
}

function meantMembers<Member extends NamedMember>(meant: Meant<Member>): readonly Member[] {
  const { option, text, name, members, hasIt, nobody, notThisOne } = meant;
  if (name === undefined) {
    const having = members.filter(hasIt);
    if (having.length > 0) return having;
    throw usageFailure(`${option} ${text}: ${nobody[0]}`, nobody[1]);
  }
  const member = members.find((one) => one.name === name);
  if (member === undefined) {
    throw unknownMember(
      name,
      members.map((one) => one.name),
      option,
    );
  }
  if (hasIt(member)) return [member];
  throw usageFailure(`${option} ${text}: ${name} ${notThisOne}`, "Remove it");
}

function checkedLevel({ name }: MemberSpec, level: string, known: readonly string[]): string {
  if (known.length === 0 || known.includes(level)) return level;
  throw usageFailure(`--effort: ${name} has no level "${level}"`, `Use one of: ${known.join(", ")}`);
}
