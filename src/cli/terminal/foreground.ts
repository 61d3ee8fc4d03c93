/** Whether the terminal is this process's to use now, or a shell has it; where the system does not tell, it is. */
import { readFileSync } from "node:fs";

export function isInForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // Behind the name, which may hold anything: state, parent, group, session, terminal, the group in its foreground.
    const [, , group, , , foreground = "-1"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return foreground === "-1" || group === foreground;
  } catch {
    // No such file on this system.
    return true;
  }
}
