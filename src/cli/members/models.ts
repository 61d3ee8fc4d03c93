/** Models from -m, by member. Pure. */
import { MEMBER_NAME, type AgentKind } from "../../protocol/index.ts";
import { usageFailure } from "../../kit/failure.ts";
import { unknownMember } from "./members.ts";

interface NamedMember {
  readonly name: string;
  readonly kind: AgentKind;
}

/** `NAME=MODEL` sets one member, a model alone all that have one. Throws a Failure when no member does. */
export function modelsFor(given: readonly string[], members: readonly NamedMember[]): Map<string, string> {
  const models = new Map<string, string>();
  for (const text of given) {
    const { name, model } = read(text);
    for (const member of meantBy(text, name, members)) models.set(member.name, model);
  }
  return models;
}

function read(text: string): { name?: string; model: string } {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0));
  const model = text.slice(at + 1).trim();
  if (model === "") {
    throw usageFailure(`-m "${text}" has no model`, "Use -m MODEL, or -m NAME=MODEL for one member");
  }
  // Not a possible member name, so it belongs to the model name.
  return at >= 0 && MEMBER_NAME.test(name) ? { name, model } : { model: text.trim() };
}

function meantBy(text: string, name: string | undefined, members: readonly NamedMember[]): readonly NamedMember[] {
  const taking = members.filter(({ kind }) => kind !== "embedded");
  if (name === undefined) {
    if (taking.length > 0) return taking;
    throw usageFailure(
      `-m ${text}: no member of this session has a model`,
      "Choose members that have one with --members",
    );
  }
  const names = members.map((member) => member.name);
  const member = members.find((one) => one.name === name);
  if (member === undefined) throw unknownMember(name, names, "-m");
  if (taking.includes(member)) return [member];
  throw usageFailure(`-m ${text}: ${name} is built in and has no model`, "Remove it");
}
