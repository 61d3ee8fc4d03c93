/** Writes banners, escape sequences, blank lines and unknown messages between the lines of its protocol. */
import { onTurn, say } from "./speak.mjs";

onTurn((text) => {
  process.stdout.write("Welcome to NoisyAgent 1.0!\n\n   \n");
  say({ say: "one " });
  process.stdout.write("\u001b[2J\u001b]0;owned\u0007npm WARN deprecated\n");
  say({ surprise: 1 });
  say({ surprise: 2 });
  for (let count = 0; count < Number(text); count++) process.stdout.write(`noise ${count}\n`);
  say({ say: "two" });
  say({ done: "completed" });
});
