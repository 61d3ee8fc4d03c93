/** How critic writes the name of a member it answers. */
import { printableLine } from "../../../src/agents/index.ts";

export function boldName(name: string): string {
  return `**${printableLine(name).replace(/[`*<>[\]\\]/g, "")}**`;
}
