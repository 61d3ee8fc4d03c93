import { createHome, threeScouts } from "../cli/program.ts";
import { openTerminal } from "./terminal.ts";
const script = process.argv.slice(2);
const home = createHome();
if (process.env["THREE"]) home.configure({ ...threeScouts, council: { members: ["ada", "bob", "cyd"] } });
const [c, r] = (process.env["SIZE"] ?? "80x24").split("x").map(Number) as [number, number];
const t = openTerminal(home, [], process.env["TENV"] ? JSON.parse(process.env["TENV"]) : {}, { columns: c, rows: r });
for (const step of script) {
  if (step.startsWith("see:")) await t.sees(step.slice(4));
  else if (step.startsWith("wait:")) await new Promise((x) => setTimeout(x, Number(step.slice(5))));
  else if (step === "show") console.log("-".repeat(c) + "\n" + t.screen().join("\n") + "\n" + "-".repeat(c));
  else t.type(JSON.parse(`"${step}"`));
}
t.close(); await t.ended;
