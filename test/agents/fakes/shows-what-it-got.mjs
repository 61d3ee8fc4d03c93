/** Says what reached it: its arguments, its environment and the exact text it was asked. */
import { onTurn, say } from "./speak.mjs";

onTurn((text) => {
  say({ say: JSON.stringify({ argv: process.argv.slice(2), env: process.env, text }) });
  say({ done: "completed" });
});
