/** A member's name in the colour of its slot. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { PlannedSession } from "../../client/index.ts";
import type { Head } from "../../transcript/index.ts";
import { assignColours, colourOfName } from "../theme/member-colours.ts";
import type { Theme } from "../theme/theme.ts";

const known = new WeakMap<Head["members"], ReadonlyMap<string, string>>();

/** For `Theme.member`. Those who left keep their slots; a name that is no member gets a colour by hash. */
export function colourOf(head: Head, name: string): string {
  let colours = known.get(head.members);
  if (colours === undefined) {
    colours = assignColours(Object.values(head.members).map(({ name, spec }) => ({ name, colour: spec.color })));
    known.set(head.members, colours);
  }
  return colours.get(name) ?? colourOfName(name);
}

const planned = new WeakMap<readonly PlannedMember[], ReadonlyMap<string, string>>();

export type PlannedMember = Pick<PlannedSession["members"][number], "name" | "color">;

/** The same colour before the first message as after it. */
export function plannedColourOf(members: readonly PlannedMember[], name: string): string {
  let colours = planned.get(members);
  if (colours === undefined) {
    colours = assignColours(members.map(({ name, color }) => ({ name, colour: color })));
    planned.set(members, colours);
  }
  return colours.get(name) ?? colourOfName(name);
}

export function paintMember(head: Head, theme: Theme, name: string, text: string): string {
  return theme.member(name, text, colourOf(head, name));
}

/** The name alone, in bold. */
export function memberLabel(head: Head, theme: Theme, name: string): string {
  return paintMember(head, theme, name, theme.decorate("bold", terminalSafeLine(name)));
}

export function memberName(head: Head, theme: Theme, name: string): string {
  const shown = `${theme.glyph("member")} ${terminalSafeLine(name)}`;
  return theme.member(name, theme.decorate("bold", shown), colourOf(head, name));
}
