import { createHome } from "../cli/program.ts";
import { openTerminal } from "./terminal.ts";
const what = JSON.parse(`"${process.argv[2]}"`);
for (const delay of process.argv.slice(3).map(Number)) {
  const home = createHome();
  const t = openTerminal(home, []);
  await new Promise((x) => setTimeout(x, delay));
  if (process.env["DRIP"]) { for (const c of what) { t.type(c); await new Promise((x) => setTimeout(x, 10)); } }
  else t.type(what);
  try { await t.sees("hosted here"); await t.sees("scout"); } catch (e) { console.log(String(e)); }
  await new Promise((x) => setTimeout(x, 400));
  console.log(delay, JSON.stringify(t.screen().filter((l) => !/^─*$/.test(l))));
  t.close(); await t.ended;
}
