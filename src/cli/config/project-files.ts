/** The file of a project. It can name programs to start, so it counts only as it was when the user trusted it. */
import type { Setting } from "./environment.ts";
import { flatten } from "./flat-settings.ts";
import { projectConfigFile, userConfigFile, type Environment } from "./paths.ts";
import { parseConfig, readText } from "./read-config-file.ts";
import { isTrusted } from "./trust.ts";

/**
 * The text that is checked against the trust record is the text that is used: nothing can change in between. What the
 * user should know goes to `warnings`.
 */
export function readProjectSettings(cwd: string, env: Environment, warnings: string[]): Setting[] {
  const file = projectConfigFile(cwd);
  if (file === undefined || file === userConfigFile(env)) return [];
  const text = readText(file);
  if (isTrusted(file, text, env)) {
    const read = parseConfig(text, file);
    const settings = flatten(read.value, (path) => `${file}:${read.placeOf(path)}`);
    return withoutAllowing(settings, warnings);
  }
  warnings.push(`the project's ${file} is not trusted and was ignored. Read it, then run: roundtable config trust`);
  return [];
}

/** A project may hold its members back; it cannot give them leave, since whoever writes to it could. */
function withoutAllowing(settings: Setting[], warnings: string[]): Setting[] {
  const allowing = settings.filter(({ path }) => path === "approvals.allow" || path === "council.writable");
  for (const { path, origin } of allowing) {
    warnings.push(`${origin}: "${path}" of a project is not used. Put it into your own configuration.`);
  }
  return settings.filter((setting) => !allowing.includes(setting));
}
