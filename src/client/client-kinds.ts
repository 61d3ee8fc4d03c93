/** Client kinds, encoded as a prefix of the client id so that other clients can say where a turn was started. */
import { newId } from "../kit/ids.ts";
import { formatList } from "../kit/text/format.ts";
import type { OtherTurn } from "../protocol/index.ts";

const STARTED_FROM = {
  terminal: "another terminal",
  browser: "a browser",
  command: "the command line",
} as const;

export type ClientKind = keyof typeof STARTED_FROM;

export function newClientId(kind: ClientKind): string {
  return `${kind}-${newId()}`;
}

/** "ada is still running, started from a browser." */
export function stillRunning(others: readonly OtherTurn[]): string {
  const names = [...new Set(others.map(({ member }) => member))];
  const origins = [...new Set(others.map(({ clientId }) => startedFrom(clientId)))];
  return `${formatList(names)} ${names.length === 1 ? "is" : "are"} still running, started from ${formatList(origins)}.`;
}

function startedFrom(clientId = ""): string {
  const kind = clientId.split("-")[0] ?? "";
  return Object.hasOwn(STARTED_FROM, kind) ? STARTED_FROM[kind as ClientKind] : "another program";
}
