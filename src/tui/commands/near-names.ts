/** The names a person may have meant by a word after a slash. They are shown, never acted upon. */
import { nearNames as nearest } from "../../kit/text/nearest-name.ts";

const SLIPS_MAX = 2;

export function nearNames(name: string, known: readonly string[]): string[] {
  return nearest(name, known, { slipsMax: SLIPS_MAX });
}
