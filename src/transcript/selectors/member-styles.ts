/**
 * A colour and a glyph for each member, by its index in the session, so that no two members look alike and the page and
 * exports use the same. The name is always shown beside them.
 */
import type { Head } from "../model.ts";

export interface MemberStyle {
  /** Index in `MEMBER_HUES`. */
  readonly hue: number;
  readonly glyph: string;
}

export type MemberStyles = ReadonlyMap<string, MemberStyle>;

/**
 * By member index, for light and dark backgrounds, with a contrast of at least 4.5 to 1; none is near the red, amber
 * and green of states. The last one is for subagents and members that have left.
 */
export const MEMBER_HUES: readonly (readonly [light: string, dark: string])[] = [
  ["#1c64d7", "#6da5f8"],
  ["#b92e91", "#f08fcd"],
  ["#027577", "#72d0cd"],
  ["#7440c9", "#b696f7"],
  ["#4e5969", "#b9c0cc"],
  ["#742651", "#c9699f"],
  ["#00609c", "#3ac1f0"],
  ["#293488", "#7d85f2"],
  ["#5f636a", "#989da6"],
];

/** A shape goes with its colour: circle, diamond, triangle, square, hexagon, cross, star, ring. */
const GLYPHS = ["●", "◆", "▲", "■", "⬢", "✚", "✦", "◉"] as const;
const GUEST: MemberStyle = { hue: GLYPHS.length, glyph: "○" };

/** Configured names, by index of the nearest hue. */
const NAMED: Readonly<Record<string, number | undefined>> = {
  blue: 0,
  magenta: 1,
  green: 2,
  cyan: 6,
  red: 5,
  yellow: 4,
};

let last: { key: string; styles: MemberStyles } = { key: "", styles: new Map() };

/** The same map until a member joins, so that views need not be drawn again. */
export function memberStyles({ members }: Pick<Head, "members">): MemberStyles {
  const all = Object.values(members);
  const key = all.map(({ name, spec }) => `${name} ${spec.color ?? ""}`).join("\n");
  if (last.key === key) return last.styles;
  const styles = new Map<string, MemberStyle>();
  const used = new Set<number>();
  for (const [at, { name, spec }] of all.entries()) {
    const wanted = NAMED[spec.color ?? ""];
    const hue = wanted !== undefined && !used.has(wanted) ? wanted : freeHue(used, at);
    used.add(hue);
    styles.set(name, { hue, glyph: GLYPHS[hue] ?? "●" });
  }
  last = { key, styles };
  return styles;
}

function freeHue(used: ReadonlySet<number>, at: number): number {
  const free = GLYPHS.findIndex((_, hue) => !used.has(hue));
  return free < 0 ? at % GLYPHS.length : free;
}

export function memberStyle(styles: MemberStyles, name: string): MemberStyle {
  return styles.get(name) ?? GUEST;
}
