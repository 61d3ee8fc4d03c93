/** What became of a message, in a few words; nothing when it simply went out. */
import { RoundtableError, type Ack, type Json } from "../../protocol/index.ts";

export function sentWords(ack: Ack): string {
  if (!ack.ok) return [ack.error.message, ack.error.hint].filter(Boolean).join(" ");
  const result = (ack.result ?? {}) as Record<string, Json>;
  const steering = names(result["steering"]);
  const waiting = names(result["waiting"]);
  const muted = names(result["muted"]);
  return [
    result["placed"] === "queued" ? "Queued; it goes out when the members are done." : "",
    steering === "" ? "" : `Went into the running turn of ${steering}.`,
    steering === "" || waiting === "" ? "" : `${waiting} cannot be steered and gets it next.`,
    muted === "" ? "" : `Not asked, because muted: ${muted}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What went wrong, and what can be done about it where that is known. */
export function faultWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof RoundtableError ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

function names(value: Json | undefined): string {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string").join(", ") : "";
}
