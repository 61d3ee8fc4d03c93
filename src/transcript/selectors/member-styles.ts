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
 * For light and dark backgrounds, with a contrast of at least 4.5 to 1. The last one is for subagents and members that
 * have left.
 */
export const MEMBER_HUES: readonly (readonly [light: string, dark: string])[] = [
  ["#1d5fa8", "#7fb8f5"],
  ["#8a4b08", "#f0ad6a"],
  ["#6a3fb5", "#bfa3ff"],
  ["#1b7045", "#7fd6a4"],
  ["#a3285f", "#ff9cc4"],
  ["#4c5a10", "#c3d36b"],
  ["#0f6b74", "#69cbd6"],
  ["#7a3a2a", "#e3a48f"],
  ["#55585f", "#b0b4bc"],
];

const GLYPHS = ["●", "◆", "▲", "■", "★", "⬢", "✚", "◗"] as const;
const GUEST: MemberStyle = { hue: GLYPHS.length, glyph: "○" };

/** Configured names, by index of their hue. */
const NAMED: Readonly<Record<string, number | undefined>> = {
  blue: 0,
  yellow: 1,
  magenta: 2,
  green: 3,
  red: 4,
  cyan: 6,
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
    styles.set(name, { hue, glyph: GLYPHS[at % GLYPHS.length] ?? "●" });
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
