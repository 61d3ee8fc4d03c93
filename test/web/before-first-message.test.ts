/** What is set before there is a session is what it begins with, against the real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadedMessages } from "../../src/transcript/index.ts";
import { createHome } from "../cli/program.ts";
import { openServedPage, type ServedPage } from "./one-page.ts";
import { openProgram, send, sessionOf, SOON } from "./open-page.ts";

let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  const home = createHome();
  const embedded = (model: string) => ({ kind: "embedded", model });
  home.configure({
    agents: { scout: embedded("scout"), historian: embedded("historian"), critic: embedded("critic") },
    council: { members: ["scout", "historian", "critic"] },
  });
  on = await openServedPage({ home });
  ({ page } = on);
});

afterAll(() => on.close());

test("/writable, /mute and /remove before the first message hold for the session that it starts; /try asks scout alone", async () => {
  await send(page, "/writable on");
  await page.getByText("Members may write").waitFor();
  await send(page, "/mute historian");
  await send(page, "/remove critic");
  await page.getByText("At the table: scout, historian (muted)").waitFor();
  await send(page, "/try short");
  const program = await openProgram(on.serving, await sessionOf(page));
  const { head } = program.transcript();
  expect(head.settings?.writable).toBe(true);
  expect(Object.values(head.members).map(({ name, muted }) => [name, muted])).toEqual([
    ["scout", false],
    ["historian", true],
  ]);
  const first = [...loadedMessages(program.transcript())].find((one) => one.kind === "user");
  expect(first).toMatchObject({ to: ["scout"] });
  await expect.poll(() => program.transcript().head.totals.turns, SOON).toBe(1);
  program.client.close();
  await page.getByRole("button", { name: "New session" }).click();
  // Remembered for the folder.
  await page.getByText("At the table: scout, historian (muted)").waitFor();
  await page.reload();
  await page.getByText("At the table: scout, historian (muted)").waitFor();
  await page.getByText("Members may write").waitFor();
});
