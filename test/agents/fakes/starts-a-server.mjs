/**
 * Starts a server in each turn; "background" in the turn declares it as background work, "helper" keeps it in the
 * program's own group.
 */
import { spawn } from "node:child_process";
import { onTurn, say } from "./speak.mjs";

onTurn((text) => {
  const server = spawn("sleep", ["600"], { detached: !text.includes("helper"), stdio: "ignore" });
  server.unref();
  server.on("spawn", () => {
    if (text.includes("background")) say({ background: true });
    say({ say: `server ${server.pid}` });
    say({ done: "completed" });
  });
});
