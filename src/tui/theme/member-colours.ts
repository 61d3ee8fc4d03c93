/** Which colour stands for a member, so that neighbours at a table can be told apart. */

/** A place in a theme's list of member colours, written as a colour that `Theme.member` knows. */
const SLOT = /^slot ([0-9])$/;
const SLOT_COUNT = 8;
/** One for all: other glyphs say how something went. No emoji in any terminal, so one column wide everywhere. */
const GLYPH = "●";

export interface ColouredMember {
  readonly name: string;
  readonly colour?: string | undefined;
}

export interface MemberMark {
  readonly colour: string;
  readonly glyph: string;
}

/** The same names in the same order always get the same marks; a colour repeats only when all are in use. */
export function assignColours(members: readonly (string | ColouredMember)[]): ReadonlyMap<string, MemberMark> {
  const marks = new Map<string, MemberMark>();
  const used = new Set<number>();
  for (const one of members) {
    const member: ColouredMember = typeof one === "string" ? { name: one } : one;
    if (marks.has(member.name)) continue;
    const slot = freeSlot(slotOfName(member.name), used);
    used.add(slot);
    marks.set(member.name, { colour: member.colour ?? slotColour(slot), glyph: GLYPH });
  }
  return marks;
}

/** For one who does not sit at the table: a subagent, somebody who left. */
export function markOfName(name: string): MemberMark {
  return { colour: slotColour(slotOfName(name)), glyph: GLYPH };
}

function slotColour(slot: number): string {
  return `slot ${slot}`;
}

export function slotOfColour(colour: string): number | undefined {
  const match = SLOT.exec(colour);
  return match === null ? undefined : Number(match[1]);
}

export function slotOfName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 15)) >>> 0) % SLOT_COUNT;
}

function freeSlot(wanted: number, used: ReadonlySet<number>): number {
  for (let step = 0; step < SLOT_COUNT; step += 1) {
    const slot = (wanted + step) % SLOT_COUNT;
    if (!used.has(slot)) return slot;
  }
  return wanted;
}
