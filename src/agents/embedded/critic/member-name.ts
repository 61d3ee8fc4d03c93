/** How critic writes the name of a member it answers. */
import { printableLine } from "../../tools/printable.ts";

export function boldName(name: string): string {
  return `**${printableLine(name).replace(/[`*<>[\]\\]/g, "")}**`;
}
