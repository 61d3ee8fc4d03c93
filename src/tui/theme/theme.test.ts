import { describe, expect, test } from "vitest";
import { chooseTheme } from "./choose-theme.ts";
import { contrast, distance, hex, worstContrast, type Rgb } from "./colour.ts";
import { createTheme, indexedColour, type ThemeName, themeNames } from "./create-theme.ts";
import { assignColours } from "./member-colours.ts";
import { DARK_BACKGROUNDS, LIGHT_BACKGROUNDS } from "./palettes.ts";
import type { ColourDepth, SyntaxScope, Theme, Tone } from "./theme.ts";

const TONES: readonly Tone[] = [
  ...(["plain", "dim", "strong", "accent", "user", "good", "warn", "bad", "border", "heading"] as const),
  ...(["link", "code", "quote", "added", "removed", "callback", "selected", "match"] as const),
];
const SCOPES: readonly SyntaxScope[] = [
  ...(["keyword", "string", "comment", "number", "title", "type", "attribute", "variable", "meta"] as const),
];
const MEMBERS = ["claude", "codex", "pi", "cursor", "gemini", "local", "a", "b", "c", "d"];
const GIVEN = [
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "#101010",
  "#f0f0f0",
  "#777777",
  "nonsense",
];

/** Every text the theme can paint, by what it is. */
function everything(theme: Theme): [name: string, painted: string][] {
  return [
    ...TONES.map((tone): [string, string] => [tone, theme.paint(tone, "x")]),
    ...SCOPES.map((scope): [string, string] => [`syntax ${scope}`, theme.syntax(scope, "x")]),
    ...MEMBERS.map((name): [string, string] => [`member ${name}`, theme.member(name, "x")]),
    ...GIVEN.map((colour): [string, string] => [`given ${colour}`, theme.member("m", "x", colour)]),
  ];
}

interface Seen {
  foreground?: Rgb;
  background?: Rgb;
  codes: string[];
}

/** What a terminal would make of a painted text. */
function read(painted: string): Seen {
  // oxlint-disable-next-line no-control-regex -- the styles are what is read.
  const codes = (/^\u001b\[([0-9;]*)m/.exec(painted)?.[1] ?? "").split(";").filter((code) => code !== "");
  const seen: Seen = { codes };
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 38 || code === 48) {
      const isDirect = codes[at + 1] === "2";
      const [r = 0, g = 0, b = 0] = codes.slice(at + 2, at + 5).map(Number);
      const colour = isDirect ? { r, g, b } : indexedColour(r);
      if (code === 38) seen.foreground = colour;
      else seen.background = colour;
      at += isDirect ? 4 : 2;
    } else if (code >= 30 && code <= 37) seen.foreground = indexedColour(code - 30);
    else if (code >= 90 && code <= 97) seen.foreground = indexedColour(code - 82);
  }
  return seen;
}

const COLOURED = themeNames.filter((name) => name !== "none");
const DEPTHS: readonly ColourDepth[] = ["16", "256", "truecolor"];

describe("contrast", () => {
  for (const name of COLOURED) {
    for (const depth of DEPTHS) {
      for (const isDark of name === "ansi" ? [true, false] : [undefined]) {
        const least = name.startsWith("high-contrast") ? 7 : 4.5;
        test(`${name} at ${depth}${isDark === false ? " on light" : ""}: every foreground has a contrast of ${least} or more`, () => {
          const theme = createTheme({ name, depth, ...(isDark === undefined ? {} : { isDark }) });
          const usual = theme.isDark ? DARK_BACKGROUNDS : LIGHT_BACKGROUNDS;
          const bad = everything(theme).filter(([, painted]) => {
            const { foreground, background } = read(painted);
            if (foreground === undefined) return false;
            return worstContrast(foreground, background === undefined ? usual : [background]) < least - 0.01;
          });
          expect(bad).toEqual([]);
        });
      }
    }
  }

  test("bright black is never asked for", () => {
    for (const name of themeNames) {
      for (const isDark of [true, false]) {
        for (const [what, painted] of everything(createTheme({ name, depth: "16", isDark }))) {
          expect({ name, what, codes: read(painted).codes.filter((code) => code === "90" || code === "2") }).toEqual({
            name,
            what,
            codes: [],
          });
        }
      }
    }
  });
});

describe("without colours", () => {
  test("the theme none asks for no colour, and still marks what is selected or found", () => {
    const theme = createTheme({ name: "none", depth: "truecolor" });
    const codes = new Set(everything(theme).flatMap(([, painted]) => read(painted).codes));
    expect([...codes].sort()).toEqual(["1", "3", "4", "7"]);
    expect([theme.paint("selected", "x"), theme.paint("match", "x"), theme.paint("bad", "x")]).toEqual([
      "\u001b[7mx\u001b[27m",
      "\u001b[7mx\u001b[27m",
      "x",
    ]);
  });

  test("NO_COLOR and a dumb terminal have no colours, whatever is wanted", () => {
    for (const env of [{ NO_COLOR: "1", COLORTERM: "truecolor" }, { TERM: "dumb" }]) {
      expect(chooseTheme({ wanted: "dark", env })).toMatchObject({ name: "none", depth: "none" });
    }
    expect(chooseTheme({ wanted: "dark", env: { NO_COLOR: "", COLORTERM: "truecolor" } }).name).toBe("dark");
  });
});

test("auto follows what the terminal answered, and its depth what the environment says", () => {
  const choose = (background: Rgb | "dark" | "light" | undefined, env: Record<string, string>, wanted = "auto") => {
    const theme = chooseTheme({ wanted, env, ...(background === undefined ? {} : { background }) });
    return `${theme.name} ${theme.depth} ${theme.isDark ? "dark" : "light"}`;
  };
  const rich = { TERM: "xterm-256color", COLORTERM: "truecolor" };
  expect([
    choose(hex("#ffffff"), rich),
    choose(hex("#1e1e1e"), rich),
    choose("light", { TERM: "xterm-256color" }),
    choose(undefined, { TERM: "xterm" }),
    choose("light", { TERM: "linux" }),
    choose("light", rich, "colour-blind"),
    choose("light", rich, "high-contrast"),
    choose("dark", rich, "light"),
    choose("dark", rich, "no such theme"),
  ]).toEqual([
    "light truecolor light",
    "dark truecolor dark",
    "light 256 light",
    "ansi 16 dark",
    "ansi 16 light",
    "colour-blind-light truecolor light",
    "high-contrast-light truecolor light",
    "light truecolor light",
    "dark truecolor dark",
  ]);
});

describe("members", () => {
  test("up to eight at one table differ in colour, always the same way", () => {
    const marks = assignColours(MEMBERS.slice(0, 8));
    expect(new Set([...marks.values()].map((mark) => mark.colour)).size).toBe(8);
    expect(assignColours(MEMBERS.slice(0, 8))).toEqual(marks);
    expect(assignColours(MEMBERS).size).toBe(MEMBERS.length);
  });

  const looks = (theme: Theme) =>
    [...assignColours(MEMBERS.slice(0, 8)).entries()].map(([name, { colour }]) => theme.member(name, "x", colour));

  test.each(DEPTHS)("at depth %s no two of eight look alike, and none like you or like what is dim", (depth) => {
    for (const isDark of [true, false]) {
      const theme = createTheme({ name: depth === "16" ? "ansi" : isDark ? "dark" : "light", depth, isDark });
      const all = [...looks(theme), theme.paint("dim", "x")];
      expect(new Set(all).size).toBe(9);
      // Eight names and nine looks: one of the sixteen is the terminal's own, as yours is.
      const yours = all.filter((style) => style === theme.paint("user", "x"));
      expect(yours.length).toBeLessThanOrEqual(depth === "16" && !isDark ? 1 : 0);
    }
  });

  test("a colour that was given is kept as far as it can be read", () => {
    const theme = createTheme({ name: "dark", depth: "truecolor" });
    expect(assignColours([{ name: "claude", colour: "#ff8800" }]).get("claude")?.colour).toBe("#ff8800");
    expect(theme.member("claude", "x", "#ff8800")).toBe("\u001b[38;2;255;136;0;1mx\u001b[39;22m");
    expect(
      contrast(read(theme.member("claude", "x", "#200000")).foreground ?? hex("#000000"), hex("#282c34")),
    ).toBeGreaterThanOrEqual(4.5);
  });
});

/** How people see who lack one kind of cone (Machado and others, 2009, full strength). */
const BLINDNESS = {
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
} as const;

function seenBy(matrix: readonly number[], { r, g, b }: Rgb): Rgb {
  const linear = [r, g, b].map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  const row = (at: number) => linear.reduce((sum, value, index) => sum + value * (matrix[at * 3 + index] ?? 0), 0);
  const back = (value: number) => {
    const inside = Math.min(1, Math.max(0, value));
    return Math.round(255 * (inside <= 0.0031308 ? inside * 12.92 : 1.055 * inside ** (1 / 2.4) - 0.055));
  };
  return { r: back(row(0)), g: back(row(1)), b: back(row(2)) };
}

describe("for those who do not see red or green", () => {
  for (const name of ["colour-blind", "colour-blind-light"] satisfies ThemeName[]) {
    for (const [kind, matrix] of Object.entries(BLINDNESS)) {
      test(`${name}: what must not be confused stays apart with ${kind}`, () => {
        const theme = createTheme({ name, depth: "truecolor" });
        const colour = (tone: Tone) => seenBy(matrix, read(theme.paint(tone, "x")).foreground ?? hex("#000000"));
        const pairs: [Tone, Tone][] = [
          ["good", "bad"],
          ["added", "removed"],
          ["good", "warn"],
        ];
        const near = pairs.filter(([a, b]) => distance(colour(a), colour(b)) < 15);
        expect(near).toEqual([]);
      });
    }
  }
});
