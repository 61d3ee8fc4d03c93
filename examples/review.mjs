/** A script over `--output-format json`: `git diff | node examples/review.mjs` fails when a member finds a bug. */
import { spawnSync } from "node:child_process";

const question = process.argv.slice(2).join(" ") || "Review this diff. Begin with BUG if it has one.";
const { stdout, error } = spawnSync("roundtable", ["-p", question, "--output-format", "json"], {
  encoding: "utf8",
  stdio: ["inherit", "pipe", "inherit"],
});
if (error) throw error;

const { members, session_id, exit_code } = JSON.parse(stdout);
for (const [name, { outcome, result, error: failure }] of Object.entries(members))
  console.log(`## ${name} (${outcome})\n\n${result || failure?.message}\n`);
console.log(`Continue with: roundtable --resume ${session_id}`);
const hasBug = Object.values(members).some(({ result }) => result.startsWith("BUG"));
process.exitCode = hasBug ? 1 : exit_code;
