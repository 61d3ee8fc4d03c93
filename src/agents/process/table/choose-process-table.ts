/**
 * Chooses, at run time, the way in which this system tells of its processes:
 * /proc where there is one, `ps` on other Unix systems, CIM and taskkill on Windows.
 */
import { existsSync } from "node:fs";
import { createProcTable } from "./procfs.ts";
import type { ProcessTable } from "./process-table.ts";
import { createPsTable } from "./ps.ts";
import { createWindowsTable } from "./windows.ts";

export function chooseProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === "win32") return createWindowsTable();
  return existsSync("/proc/self/stat") ? createProcTable() : createPsTable();
}
