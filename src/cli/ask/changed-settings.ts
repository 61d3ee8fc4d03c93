/** Maps configuration keys from the command line to settings of a continued session. */
import type { Limits, Settings } from "../../protocol/index.ts";
import { SESSION_LIMIT_FACTOR } from "../../transcript/index.ts";
import type { Setting } from "../config/environment.ts";
import { usageFailure } from "../../kit/failure.ts";

const SETTING_OF: Readonly<Record<string, keyof Settings>> = {
  "council.mode": "mode",
  "council.auto_rounds": "auto_rounds",
  "council.timeout": "timeout",
  "council.preamble": "preamble",
  "council.writable": "writable",
  "requests.timeout": "request_timeout",
  "prompts.council": "prompt",
};
const LIMIT = /^council\.limits\.(session\.)?(turns|minutes|tokens|usd)$/;

/** True for keys that only apply to a new session or to the start of its host process. */
export function isOfNewSession({ path }: Setting): boolean {
  return SETTING_OF[path] === undefined && !LIMIT.test(path);
}

/** Only the differences. Throws a Failure for a key that a continued session cannot change. */
export function changedSettings(overridden: readonly Setting[], before: Settings): Partial<Settings> {
  const clash = overridden.find(isOfNewSession);
  if (clash !== undefined) {
    const origin = clash.origin.split(", ").at(-1) ?? "";
    throw usageFailure(
      `${origin} only applies to a new session and cannot be combined with --resume or -c`,
      hintFor(clash),
    );
  }
  const changes: Record<string, unknown> = Object.fromEntries(
    overridden.flatMap(({ path, value }) => (SETTING_OF[path] === undefined ? [] : [[SETTING_OF[path], value]])),
  );
  const limits = overridden.filter(({ path }) => LIMIT.test(path));
  if (limits.length > 0) changes["limits"] = changedLimits(limits, before.limits);
  const isNew = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[key as keyof Settings]);
  return Object.fromEntries(Object.entries(changes).filter(isNew));
}

function hintFor({ path }: Setting): string {
  if (!path.startsWith("approvals.")) return "Remove one of them";
  return "Use --allow instead, or set approvals in your configuration";
}

/** Keeps the session's total limits: part of them is spent, and ten times the new limit may be less. */
function changedLimits(overridden: readonly Setting[], before: Limits): Limits {
  const limits = { ...before, session: { ...before.session } };
  for (const { path, value } of overridden) {
    const [, ofSession, name] = LIMIT.exec(path) as unknown as [
      string,
      string | undefined,
      keyof Omit<Limits, "session">,
    ];
    if (ofSession === undefined) {
      limits.session[name] ??= before[name] * SESSION_LIMIT_FACTOR;
      limits[name] = value as number;
    } else limits.session[name] = value as number;
  }
  return limits;
}
