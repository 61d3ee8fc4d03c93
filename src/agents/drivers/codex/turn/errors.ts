/** Error codes, messages and hints of failed turns, from Codex's own errors. */
import type { TurnOver } from "../../../process/dialect.ts";
import { hintFor, errored } from "../../../process/turn-errors.ts";
import { isRecord } from "../../../json-rpc/messages.ts";
import { numberOf, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";

interface Kind {
  readonly code: string;
  readonly hint: string;
}

const AGAIN: Kind = { code: "agent_error", hint: "Ask again." };
const LIMITED: Kind = {
  code: "rate_limited",
  hint: "Wait until the limit is reset, or give the member another model.",
};
export const LOGIN_HINT = `Run "codex login", or export the variable that holds its key and open the session again.`;
const LOGGED_OUT: Kind = { code: "unauthorized", hint: LOGIN_HINT };
const TOO_MUCH: Kind = { code: "context_overflow", hint: "Ask for something smaller, or clear the session." };
const OVERLOADED: Kind = { code: "overloaded", hint: "Ask again in a moment." };

const BAD_REQUEST: Kind = { code: "bad_request", hint: "Check the member's model and settings." };

const KINDS: Readonly<Record<string, Kind>> = {
  contextWindowExceeded: TOO_MUCH,
  sessionBudgetExceeded: LIMITED,
  usageLimitExceeded: LIMITED,
  rateLimitExceeded: LIMITED,
  serverOverloaded: OVERLOADED,
  internalServerError: OVERLOADED,
  unauthorized: LOGGED_OUT,
  modelNotFound: { code: "model_not_found", hint: "Give the member another model." },
  badRequest: BAD_REQUEST,
  sandboxError: { code: "sandbox", hint: "Codex could not set up its sandbox on this machine." },
};

const KINDS_BY_STATUS: Readonly<Record<number, Kind>> = { 401: LOGGED_OUT, 403: LOGGED_OUT, 429: LIMITED };

export function turnError(member: string, error: Fields): TurnOver {
  const raw = textOf(error, "message") ?? "it gave no reason";
  const provider = providerError(raw);
  const message = textOf(provider, "message") ?? raw;
  const known = kindOf(error["codexErrorInfo"]);
  const kind = known === AGAIN ? kindOfProvider(provider) : known;
  const detail = textOf(error, "additionalDetails");
  const hint = kind === AGAIN ? hintFor(`${message} ${detail ?? ""}`, { member, loginHint: LOGIN_HINT }) : undefined;
  return errored({
    ...kind,
    ...(hint === undefined ? {} : { hint }),
    message: `${member} failed: ${sentence(message)}`,
    ...(detail === undefined ? {} : { detail }),
  });
}

/** Call of ours that Codex refused. */
export function callError(member: string, what: string, reason: string): TurnOver {
  const hint = hintFor(reason, { member, loginHint: LOGIN_HINT }) ?? "Ask again.";
  return errored({ code: "refused", message: `${member} could not ${what}: ${sentence(reason)}`, hint });
}

/** Codex forwards some errors of the provider unchanged, as JSON. */
function providerError(message: string): Fields {
  if (!message.trimStart().startsWith("{")) return {};
  try {
    const body: unknown = JSON.parse(message);
    return isRecord(body) ? recordOf(body, "error") : {};
  } catch {
    // Not JSON after all; shown as it is.
    return {};
  }
}

function kindOfProvider(error: Fields): Kind {
  if (textOf(error, "code") === "context_length_exceeded") return TOO_MUCH;
  return textOf(error, "type") === "invalid_request_error" ? BAD_REQUEST : AGAIN;
}

function kindOf(info: unknown): Kind {
  if (typeof info === "string") return KINDS[info] ?? AGAIN;
  if (!isRecord(info)) return AGAIN;
  const [name = "", body] = Object.entries(info)[0] ?? [];
  const status = isRecord(body) ? numberOf(body, "httpStatusCode") : undefined;
  return (status === undefined ? undefined : KINDS_BY_STATUS[status]) ?? KINDS[name] ?? AGAIN;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
