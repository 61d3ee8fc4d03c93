/** Color detection and text styles. Color never carries meaning alone. */
import { COLOURS } from "../config/colour-names.ts";
import type { Environment } from "../config/paths.ts";

export type ColourChoice = "auto" | "always" | "never";

export interface Style {
  member: (name: string, text: string, colour?: string) => string;
  strong: (text: string) => string;
  dim: (text: string) => string;
  bad: (text: string) => string;
}

/** Precedence: flag, FORCE_COLOR, NO_COLOR (as in Node), terminal. */
export function wantsColour(choice: ColourChoice, env: Environment, isTty: boolean): boolean {
  if (choice !== "auto") return choice === "always";
  const force = env["FORCE_COLOR"];
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  return isTty && env["TERM"] !== "dumb";
}

export const plainStyle: Style = {
  member: (_name, text) => text,
  strong: (text) => text,
  dim: (text) => text,
  bad: (text) => text,
};

export const colourStyle: Style = {
  member: (name, text, colour) => sgr(`1;${colourCode(name, colour)}`, text),
  strong: (text) => sgr("1", text),
  dim: (text) => sgr("2", text),
  bad: (text) => sgr("31", text),
};

function sgr(code: string, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** Colors assigned by name. Red means failure and white is invisible on many terminals, so neither is assigned. */
const GIVEN_OUT = [32, 33, 34, 35, 36];

function colourCode(name: string, colour: string | undefined): string {
  const known = COLOURS.findIndex((one) => one === colour);
  if (known >= 0) return String(31 + known);
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  if (hex !== null)
    return `38;2;${hex
      .slice(1)
      .map((part) => Number.parseInt(part, 16))
      .join(";")}`;
  let hash = 0;
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return String(GIVEN_OUT[hash % GIVEN_OUT.length]);
}
