/** A project file can only make the sandbox stricter, since anyone with write access to the project could edit it. */
import type { Setting } from "./environment.ts";
import { isGroup } from "./flat-settings.ts";
import { sandboxSettings, type SandboxSettings } from "./sandbox-keys.ts";
import type { SandboxConfig } from "./schema.ts";

type Mode = NonNullable<SandboxSettings["mode"]>;

/** Weakest first. */
const MODES: readonly Mode[] = ["off", "auto", "require"];
const DEFAULT_MODE: Mode = "auto";

/** The project's settings that are stricter than the user's. */
export function withoutWidening(
  settings: readonly Setting[],
  before: ReadonlyMap<string, Setting>,
  warnings: string[],
): Setting[] {
  const { mode: own = DEFAULT_MODE } = sandboxSettings(before.get("sandbox")?.value as SandboxConfig | undefined);
  return settings.flatMap((setting) => {
    if (setting.path === "sandbox") {
      const { mode, isWhole } = stricter(setting.value as SandboxConfig, [own]);
      if (!isWhole) warnings.push(notUsed(setting.origin, "sandbox"));
      return mode === undefined ? [] : [{ ...setting, value: mode }];
    }
    return [/^agents\.[^.]+$/.test(setting.path) ? strictAgent(setting, { own, before, warnings }) : setting];
  });
}

interface Before {
  readonly own: Mode;
  readonly before: ReadonlyMap<string, Setting>;
  readonly warnings: string[];
}

/** A project's agent replaces the user's agent of that name but keeps the user's stricter sandbox. */
function strictAgent(setting: Setting, { own, before, warnings }: Before): Setting {
  if (!isGroup(setting.value)) return setting;
  const { sandbox, unguarded, ...agent } = setting.value;
  const replaced = before.get(setting.path)?.value;
  const users = sandboxSettings((isGroup(replaced) ? replaced["sandbox"] : undefined) as SandboxConfig | undefined);
  const { mode, isWhole } = stricter(sandbox as SandboxConfig | undefined, [own, users.mode]);
  if (!isWhole) warnings.push(notUsed(setting.origin, `${setting.path}.sandbox`));
  if (unguarded === "allow") warnings.push(notUsed(setting.origin, `${setting.path}.unguarded`));
  const effective = mode ?? strictest([own, users.mode]);
  const isOwn = effective === own;
  return { ...setting, value: { ...agent, ...(isOwn ? {} : { sandbox: effective }) } };
}

/** `isWhole`: nothing had to be dropped. */
function stricter(
  written: SandboxConfig | undefined,
  floors: readonly (Mode | undefined)[],
): { mode?: Mode; isWhole: boolean } {
  const { mode, ...opened } = sandboxSettings(written);
  const opensNothing = Object.keys(opened).length === 0;
  if (mode === undefined) return { isWhole: opensNothing };
  const floor = strictest(floors);
  const isWider = MODES.indexOf(mode) < MODES.indexOf(floor);
  return { mode: isWider ? floor : mode, isWhole: opensNothing && !isWider };
}

function strictest(modes: readonly (Mode | undefined)[]): Mode {
  const strength = Math.max(...modes.map((mode) => (mode === undefined ? -1 : MODES.indexOf(mode))));
  return MODES[strength] ?? DEFAULT_MODE;
}

function notUsed(origin: string, key: string): string {
  return `${origin}: "${key}" in a project file only applies where it is stricter than yours. Set it in your own configuration.`;
}
