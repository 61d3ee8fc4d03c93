/** Closes its output in the middle of the turn and lives on. */
import { closeSync } from "node:fs";
import { onTurn, say, stay } from "./speak.mjs";

stay();
onTurn(() => {
  say({ say: "no more from me" });
  process.stdout.write("", () => closeSync(1));
});
