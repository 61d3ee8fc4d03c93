/** Reasoning efforts from --effort, by member. */
import type { MemberSpec } from "../../protocol/index.ts";
import { usageFailure } from "../../kit/failure.ts";
import { unknownMember } from "./members.ts";

/** `NAME=LEVEL` sets one member, a level alone all that support it. Throws a Failure when no member does. */
export async function effortsFor(
  given: readonly string[],
  members: readonly MemberSpec[],
): Promise<Map<string, string>> {
  const efforts = new Map<string, string>();
  if (given.length === 0) return efforts;
  const { effortLevels } = await import("../../agents/index.ts");
  for (const text of given) {
    const at = text.indexOf("=");
    const [name, level] = at < 0 ? [undefined, text.trim()] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (level === "")
      throw usageFailure(`--effort "${text}" has no level`, "Use --effort LEVEL or --effort NAME=LEVEL");
    for (const spec of meantBy(text, name, members, effortLevels))
      efforts.set(spec.name, checked(spec, level, effortLevels));
  }
  return efforts;
}

type Levels = (spec: MemberSpec) => readonly string[] | null;

function meantBy(text: string, name: string | undefined, members: readonly MemberSpec[], levels: Levels): MemberSpec[] {
  const taking = members.filter((spec) => levels(spec) !== null);
  if (name === undefined) {
    if (taking.length > 0) return taking;
    throw usageFailure(`--effort ${text}: no member of this session has a reasoning effort setting`, "Remove it");
  }
  const spec = members.find((one) => one.name === name);
  if (spec === undefined)
    throw unknownMember(
      name,
      members.map((one) => one.name),
      "--effort",
    );
  if (taking.includes(spec)) return [spec];
  throw usageFailure(`--effort ${text}: ${name} has no reasoning effort setting`, "Remove it");
}

function checked(spec: MemberSpec, level: string, levels: Levels): string {
  const known = levels(spec) ?? [];
  if (known.length === 0 || known.includes(level)) return level;
  throw usageFailure(`--effort: ${spec.name} has no level "${level}"`, `Use one of: ${known.join(", ")}`);
}
