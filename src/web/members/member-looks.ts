/** A colour and a glyph for each member, by its seat, so that no two at one table look alike; its name stands beside them. */
import type { Head } from "../../transcript/index.ts";

export interface MemberLook {
  /** One of the page's member colours. */
  readonly hue: number;
  readonly glyph: string;
}

export type MemberLooks = ReadonlyMap<string, MemberLook>;

const GLYPHS = ["●", "◆", "▲", "■", "★", "⬢", "✚", "◗"] as const;
/** The hue of whoever has no seat, such as a subagent. */
const GUEST: MemberLook = { hue: GLYPHS.length, glyph: "○" };

/** Names of the configuration, by the page's colours. */
const NAMED: Readonly<Record<string, number | undefined>> = {
  blue: 0,
  yellow: 1,
  magenta: 2,
  green: 3,
  red: 4,
  cyan: 6,
};

let last: { key: string; looks: MemberLooks } = { key: "", looks: new Map() };

/** The same map while nobody sits down, so that views need not be drawn again. */
export function memberLooks({ members }: Pick<Head, "members">): MemberLooks {
  const seats = Object.values(members);
  const key = seats.map(({ name, spec }) => `${name} ${spec.color ?? ""}`).join("\n");
  if (last.key === key) return last.looks;
  const looks = new Map<string, MemberLook>();
  const taken = new Set<number>();
  for (const [seat, { name, spec }] of seats.entries()) {
    const wanted = NAMED[spec.color ?? ""];
    const hue = wanted !== undefined && !taken.has(wanted) ? wanted : freeHue(taken, seat);
    taken.add(hue);
    looks.set(name, { hue, glyph: GLYPHS[seat % GLYPHS.length] ?? "●" });
  }
  last = { key, looks };
  return looks;
}

function freeHue(taken: ReadonlySet<number>, seat: number): number {
  const free = GLYPHS.findIndex((_, hue) => !taken.has(hue));
  return free < 0 ? seat % GLYPHS.length : free;
}

export function lookOf(looks: MemberLooks, name: string): MemberLook {
  return looks.get(name) ?? GUEST;
}
