import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "./trash.ts";

function terminal(answer: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  input.write(`${answer}\n`);
  return { input, output };
}

test("at a terminal only an explicit yes continues; --yes skips the prompt; without a terminal the command fails", async () => {
  const given = ["y", "yes", "Y", "", "n", "maybe", "yes please"];
  const answers = await Promise.all(given.map((answer) => confirm("Delete it?", terminal(answer))));
  expect(answers).toEqual([true, true, true, false, false, false, false]);
  const asked = terminal("n");
  let shown = "";
  asked.output.on("data", (bytes: Buffer) => (shown += bytes.toString()));
  await confirm("Delete it?", asked);
  expect(shown).toContain("Delete it? [y/N] ");
  expect(await confirm("Delete it?", { yes: true, input: new PassThrough() })).toBe(true);
  const nobody = { input: new PassThrough(), output: new PassThrough() };
  await expect(confirm("Delete it?", nobody)).rejects.toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining("--yes"),
  });
});

test("Ctrl+C and Ctrl+D at the prompt end the command as interrupted, with nothing changed", async () => {
  const refusal = { exitCode: 130, message: "cancelled; nothing was changed" };
  for (const key of ["\u0003", "\u0004"]) {
    const { input, output } = terminal("");
    input.read();
    input.write(key);
    await expect(confirm("Delete it?", { input, output })).rejects.toMatchObject(refusal);
  }
});
