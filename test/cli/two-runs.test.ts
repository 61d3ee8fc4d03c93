/** Two runs that work in one session at the same time. */
import type { ChildProcess } from "node:child_process";
import { expect, test } from "vitest";
import { createHome, jsonLines, threeScouts, type Ran } from "./program.ts";

const resultOf = (ran: Ran) => jsonLines(ran.stdout).at(-1) ?? {};
const hasBegun = (text: string, member: string) =>
  text.split("\n").some((line) => line.includes('"type":"turn_start"') && line.includes(`"member":"${member}"`));

test("a run that holds the session stays until the turns of another run in it are done", async () => {
  const home = createHome();
  home.configure(threeScouts);
  const { session_id: id } = resultOf(await home.run(["-p", "/try long 10", "--to", "ada", "--json"])) as {
    session_id: string;
  };
  const goOn = (to: string, phrase: string, onBegun: (child: ChildProcess) => void) =>
    home.run(["-p", phrase, "--to", to, "--resume", id, "--output-format", "stream-json"], {
      onStdout: (text, child) => void (hasBegun(text, to) && onBegun(child)),
    });
  let second: Promise<Ran> | undefined;
  let isStopped = false;
  const first = await goOn("ada", "/try delay 5m", (holder) => {
    // The holder is told to stop as soon as the other one has its turn.
    second ??= goOn("bob", "/try delay 2s", () => {
      if (!isStopped) holder.kill("SIGINT");
      isStopped = true;
    });
  });
  expect(resultOf(first)).toMatchObject({ subtype: "interrupted", members: { ada: { outcome: "interrupted" } } });
  expect(first.stderr).toContain("another run is still active in this session");
  expect(resultOf((await second) ?? first)).toMatchObject({
    subtype: "success",
    members: { bob: { outcome: "completed" } },
  });
});
