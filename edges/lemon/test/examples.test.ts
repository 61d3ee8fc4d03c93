/** The example in this edge's docs, replayed against the real program. */
import { readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { createHome } from "../../../test/cli/program.ts";
import { RpcClient } from "./rpc-client.ts";

test("the conversation in the docs is what happens", async () => {
  const [, example = ""] = /```003\n([\s\S]*?)```/.exec(readFileSync("edges/lemon/docs/protocol.md", "utf8")) ?? [];
  const steps = example.split("\n").filter((line) => line !== "");
  expect(steps.length).toBeGreaterThan(10);
  const home = createHome();
  const client = new RpcClient(home);
  let id = "";
  try {
    for (const step of steps) {
      const [, direction, rest = ""] = /^([<>]) (.*)$/.exec(step) ?? [];
      if (direction === ">") client.write(`${rest.replace("$id", id)}\n`);
      else {
        const [type = "", detail] = rest.split(" ");
        const line = await client.next(type as "event", (found) => {
          const told = "event" in found ? found.event.type : "method" in found ? found["method"] : undefined;
          return detail === undefined || told === detail;
        });
        if ("id" in line) id = String(line.id);
      }
    }
    expect(await client.exit).toBe(0);
    expect(client.wrong).toStrictEqual([]);
  } finally {
    if (client.child.exitCode === null) client.child.kill("SIGKILL");
    await client.exit;
    rmSync(home.directory, { recursive: true, force: true });
  }
});
