/** Starts a server in each turn; "background" in the turn declares it as background work. */
import { spawn } from "node:child_process";
import { onTurn, say } from "./speak.mjs";

onTurn((text) => {
  const server = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  server.unref();
  server.on("spawn", () => {
    if (text.includes("background")) say({ background: true });
    say({ say: `server ${server.pid}` });
    say({ done: "completed" });
  });
});
