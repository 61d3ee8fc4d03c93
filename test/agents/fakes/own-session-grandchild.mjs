/** Leaves while a grandchild in a session of its own holds its output; "result" in the turn lets it finish first. */
import { spawn } from "node:child_process";
import { onTurn, say } from "./speak.mjs";

onTurn((text) => {
  spawn("sleep", ["600"], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();
  say({ say: "last words" });
  if (text.includes("result")) say({ done: "completed" });
  process.stdout.write("", () => process.exit(0));
});
