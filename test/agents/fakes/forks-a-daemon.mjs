/** Leaves a daemon behind: forked twice, in a session of its own, holding nothing of ours. */
import { spawn } from "node:child_process";
import { onTurn, say } from "./speak.mjs";

onTurn(() => {
  const middle = spawn("sh", ["-c", "trap '' TERM HUP; sleep 600 & exit 0"], { detached: true, stdio: "ignore" });
  middle.on("exit", () => {
    say({ say: "a daemon runs" });
    say({ done: "completed" });
  });
});
