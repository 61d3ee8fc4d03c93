/** Which commands may be sent again when their acknowledgement was lost, without anything happening twice. */
import type { CommandType } from "./commands.ts";

/** The first three carry an id of their own, by which a repeat is known; the others state how something shall be. */
const REPEATABLE: ReadonlySet<CommandType> = new Set<CommandType>([
  ...(["send", "steer", "queue_add"] as const),
  ...(["mute", "unmute", "pin", "archive", "rename", "switch_model", "switch_effort", "set_settings"] as const),
  ...(["list_files", "list_permissions"] as const),
]);

export function isRepeatable(type: CommandType): boolean {
  return REPEATABLE.has(type);
}
