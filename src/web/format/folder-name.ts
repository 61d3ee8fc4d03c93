/** The last part of a folder, with the machine for one of a team's, as in "project on build-box". */
import { inPlainSight } from "./plain-sight.ts";

/** MACHINE:FOLDER, or PERSON/MACHINE:FOLDER. */
const OF_MACHINE = /^([^/:]+(?:\/[^/:]+)?):(\/.*)$/s;

export function folderName(cwd: string): string {
  const [, machine, folder = cwd] = OF_MACHINE.exec(cwd) ?? [];
  const name = folder.split("/").findLast((part) => part !== "") ?? folder;
  return inPlainSight(machine === undefined ? name : `${name} on ${machine}`);
}
