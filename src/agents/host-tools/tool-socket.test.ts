import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { sweepToolSockets } from "./tool-socket.ts";

const LATER_MS = 120_000;

/** A leftover socket of a killed process. */
async function leaveSocket(file: string): Promise<void> {
  const listen = `require("node:net").createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"))`;
  await once(spawn(process.execPath, ["-e", listen], { stdio: "ignore" }), "close");
}

test.skipIf(process.platform === "win32")(
  "socket directories that a killed host left are removed at the next start, and nothing else is",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "sweep-"));
    const at = (...names: string[]) => path.join(folder, ...names);
    for (const name of ["left", "empty", "alive", "used"]) mkdirSync(at(`roundtable-table-${name}`));
    mkdirSync(at("somebody-elses"));
    symlinkSync(at("somebody-elses"), at("roundtable-table-link"));
    writeFileSync(at("roundtable-table-used", "notes.txt"), "mine");
    await leaveSocket(at("roundtable-table-left", "tools.sock"));
    const server = createServer().listen(at("roundtable-table-alive", "tools.sock"));
    await once(server, "listening");
    try {
      expect(await sweepToolSockets(folder, Date.now())).toBe(0);
      expect(await sweepToolSockets(folder, Date.now() + LATER_MS)).toBe(2);
      expect(readdirSync(folder).toSorted()).toEqual([
        "roundtable-table-alive",
        "roundtable-table-link",
        "roundtable-table-used",
        "somebody-elses",
      ]);
      expect(readdirSync(at("roundtable-table-alive"))).toEqual(["tools.sock"]);
      expect(await sweepToolSockets(at("nowhere"))).toBe(0);
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
