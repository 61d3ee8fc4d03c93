/** Settings from environment variables. */
import { configFailure } from "./read-config-file.ts";
import type { Environment } from "./paths.ts";
import { ConfigFile } from "./schema.ts";

export interface Setting {
  path: string;
  value: unknown;
  origin: string;
  /** For a list merged from several sources: the part of each source. */
  parts?: readonly Setting[];
}

type Read = (text: string) => unknown;

const splitNames: Read = (text) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
const asText: Read = (text) => text;
/** Text that is not a number stays text, so that the schema reports it. */
const asNumber: Read = (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text));

const environmentKeys: readonly { variable: string; path: string; read: Read }[] = [
  { variable: "ROUNDTABLE_MEMBERS", path: "council.members", read: splitNames },
  { variable: "ROUNDTABLE_TIMEOUT", path: "council.timeout", read: asNumber },
  { variable: "ROUNDTABLE_AUTO_ROUNDS", path: "council.auto_rounds", read: asNumber },
  { variable: "ROUNDTABLE_MODE", path: "council.mode", read: asText },
  { variable: "ROUNDTABLE_PREAMBLE", path: "council.preamble", read: asText },
  { variable: "ROUNDTABLE_REQUEST_TIMEOUT", path: "requests.timeout", read: asNumber },
];

/** An empty variable counts as absent. */
export function settingsFromEnvironment(env: Environment): Setting[] {
  return environmentKeys.flatMap(({ variable, path, read }) => {
    const text = env[variable];
    if (text === undefined || text === "") return [];
    return [checkSetting({ path, value: read(text), origin: variable })];
  });
}

/** Validates a setting from outside any file by the schema. */
export function checkSetting(setting: Setting): Setting {
  const file = setting.path.split(".").reduceRight<unknown>((value, key) => ({ [key]: value }), setting.value);
  const checked = ConfigFile.safeParse(file);
  if (checked.success) return setting;
  const issue = checked.error.issues[0]?.message ?? "is not allowed";
  throw configFailure(`${setting.origin} ${issue}, found ${JSON.stringify(setting.value)}`);
}
