/** Assigns colours to members, so that adjacent ones differ. */

/** Index in a theme's member colours, encoded as a colour for `Theme.member`. */
const SLOT = /^slot ([0-9])$/;
const SLOT_COUNT = 8;
/** One glyph for all members: other glyphs mean outcomes. Never an emoji, so always one column wide. */
const GLYPH = "●";

export interface ColouredMember {
  readonly name: string;
  readonly colour?: string | undefined;
}

export interface MemberMark {
  readonly colour: string;
  readonly glyph: string;
}

/** Deterministic for the same names in the same order; a colour repeats only when all are in use. */
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

/** For names that are no members: a subagent, a member that left. */
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
