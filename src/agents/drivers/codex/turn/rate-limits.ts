/** What is left of the account's limits, as one short line for a status field. */
import { numberOf, recordOf, type Fields } from "../../../json-rpc/fields.ts";

/** Empty when Codex knows nothing of limits. */
export function describeLimits(rateLimits: Fields): string {
  return [recordOf(rateLimits, "primary"), recordOf(rateLimits, "secondary")]
    .map(describeWindow)
    .filter((text) => text !== "")
    .join(", ");
}

function describeWindow(window: Fields): string {
  const used = numberOf(window, "usedPercent");
  if (used === null) return "";
  const minutes = numberOf(window, "windowDurationMins");
  const name = minutes === null ? "limit" : `${durationOf(minutes)} limit`;
  return `${name} ${Math.round(used)} % used${describeReset(numberOf(window, "resetsAt"))}`;
}

function durationOf(minutes: number): string {
  if (minutes >= 1_440) return `${Math.round(minutes / 1_440)} d`;
  return minutes >= 60 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
}

function describeReset(resetsAtSeconds: number | null): string {
  const at = resetsAtSeconds === null ? null : new Date(resetsAtSeconds * 1_000);
  if (at === null || Number.isNaN(at.getTime())) return "";
  return ` until ${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
