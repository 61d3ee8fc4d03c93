/** True while this process is in the terminal's foreground group; also where the system cannot tell. */
import { readFileSync } from "node:fs";

export function isInForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // Fields after the name, which may contain anything: state, ppid, pgrp, session, tty, foreground pgrp.
    const [, , group, , , foreground = "-1"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return foreground === "-1" || group === foreground;
  } catch {
    // No such file on this system.
    return true;
  }
}
