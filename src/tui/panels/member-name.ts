/** A member's glyph and name in its colour. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Head } from "../../transcript/index.ts";
import { membersInOrder } from "../../transcript/index.ts";
import { assignColours, markOfName, type MemberMark } from "../theme/member-colours.ts";
import type { Theme } from "../theme/theme.ts";

const known = new WeakMap<Head["members"], ReadonlyMap<string, MemberMark>>();

/** Adjacent members differ; a name that is no member gets a mark by hash. */
export function markOf(head: Head, name: string): MemberMark {
  let marks = known.get(head.members);
  if (marks === undefined) {
    const members = membersInOrder(head).map(({ name, spec }) => ({ name, colour: spec.color }));
    marks = assignColours(members);
    known.set(head.members, marks);
  }
  return marks.get(name) ?? markOfName(name);
}

export function memberName(head: Head, theme: Theme, name: string): string {
  const { colour, glyph } = markOf(head, name);
  return theme.member(name, `${glyph} ${terminalSafeLine(name)}`, colour);
}
