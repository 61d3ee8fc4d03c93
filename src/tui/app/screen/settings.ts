/**
 * The display settings in `screen.jsonc` beside the configuration, which may be edited by hand. An invalid value is
 * reported and the default is used.
 */
import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { nearestName } from "../../../kit/text/nearest-name.ts";
import type { Arrangement, ViewSettings } from "../../panels/panel.ts";
import { themeNames } from "../../theme/create-theme.ts";

export interface ScreenSettings {
  readonly theme: string;
  /** Layout of members who answer at the same time; "auto" depends on the width of the screen. */
  readonly view: Arrangement | "auto";
  readonly thinking: "dim" | "folded" | "hidden";
  /** Tool output in full. */
  readonly expanded: boolean;
  readonly times: boolean;
  /** Text as it was written. */
  readonly raw: boolean;
  /** Captures the mouse; without it the terminal's own selection works. */
  readonly mouse: boolean;
  readonly copyOnSelect: boolean;
  /** Notify the user when the window is not focused. */
  readonly notifications: boolean;
  /** Spinners turn; without them a word says what runs. */
  readonly motion: "on" | "off";
}

export type SettingName = keyof ScreenSettings;
export type SettingValue = string | boolean;

export interface SettingsFile {
  readonly path: string;
  /** Empty when there is none. */
  readonly text: string;
  /** Why it could not be read. */
  readonly problem?: string;
}

const USUAL: ScreenSettings = {
  theme: "auto",
  view: "auto",
  thinking: "folded",
  expanded: false,
  times: false,
  raw: false,
  mouse: true,
  copyOnSelect: true,
  notifications: true,
  motion: "on",
};

export const ARRANGEMENTS = ["auto", "columns", "stack", "focus"] as const;

export const THEMES = ["auto", ...themeNames] as const;

const ALLOWED_VALUES: Partial<Record<SettingName, readonly string[]>> = {
  theme: THEMES,
  view: ARRANGEMENTS,
  thinking: ["dim", "folded", "hidden"],
  motion: ["on", "off"],
};

export function viewOf({ thinking, expanded, times, raw, view }: ScreenSettings): ViewSettings {
  return { arrangement: view, thinking, isExpanded: expanded, hasTimes: times, isRaw: raw };
}

export function readScreenSettings(file: SettingsFile): {
  readonly settings: ScreenSettings;
  readonly problems: readonly string[];
} {
  if (file.problem !== undefined) return { settings: USUAL, problems: [file.problem] };
  if (file.text.trim() === "") return { settings: USUAL, problems: [] };
  const parseErrors: ParseError[] = [];
  const value: unknown = parse(file.text, parseErrors, { allowTrailingComma: true });
  const [parseError] = parseErrors;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (parseError !== undefined || !isObject) {
    const what = parseError === undefined ? "it is not an object" : printParseErrorCode(parseError.error);
    return { settings: USUAL, problems: [`${file.path} cannot be read: ${what}. The default settings are used.`] };
  }
  const entries = Object.entries(value).filter(([name]) => name !== "$schema");
  const problems = entries.flatMap(([name, one]) => problemOf(name, one)).map((problem) => `${file.path}: ${problem}`);
  const good = entries.filter(([name, one]) => problemOf(name, one).length === 0);
  return { settings: { ...USUAL, ...Object.fromEntries(good) }, problems };
}

function problemOf(name: string, value: unknown): string[] {
  const names = Object.keys(USUAL);
  if (!names.includes(name)) {
    const near = nearestName(name, names);
    return [`there is no setting "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`];
  }
  const allowed = ALLOWED_VALUES[name as SettingName];
  if (allowed === undefined) return typeof value === "boolean" ? [] : [`"${name}" must be true or false`];
  return allowed.includes(value as string) ? [] : [`"${name}" must be one of ${allowed.join(", ")}`];
}
