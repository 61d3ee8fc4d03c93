/** What became of a message, in a few words; nothing when it simply went out. */
import type { Ack, Json } from "../../protocol/index.ts";

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

function names(value: Json | undefined): string {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string").join(", ") : "";
}
