/** Images and files by button, paste and drop, from the page to the member and back as pictures, in a real browser. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServedPage, type ServedPage } from "./one-page.ts";
import { draft, log, sessionOf, SOON } from "./open-page.ts";

/** A red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  on = await openServedPage();
  ({ page } = on);
});

afterAll(() => on.close());

const chips = () => page.getByRole("list", { name: "To be sent with the message" }).getByRole("listitem");
const problem = () => page.getByRole("form", { name: "Write" }).getByRole("alert");
const files = () => page.locator('input[type="file"]');
const png = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(PNG, "base64") });

/** Each chip whose name is like this is taken away. */
async function leaveOut(name: RegExp): Promise<void> {
  await chips()
    .filter({ hasText: name })
    .getByRole("button")
    .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
}

test("files are chosen, pasted and dropped, shown as chips before they are sent, and can be taken away", async () => {
  await files().setInputFiles([png("chosen.png"), { name: "notes.md", mimeType: "", buffer: Buffer.from("# Notes") }]);
  await expect.poll(() => chips().allInnerTexts(), SOON).toHaveLength(2);
  await chips().first().locator("img").waitFor();
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
    const field = document.querySelector("textarea");
    field?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    const dropped = new DataTransfer();
    dropped.items.add(new File(["a,b\n1,2\n"], "table.csv"));
    document
      .querySelector("main")
      ?.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }, PNG);
  const names = () => chips().locator(".chip-name").allInnerTexts();
  await expect
    .poll(async () => (await names()).toSorted(), SOON)
    .toEqual(["chosen.png", "notes.md", "pasted.png", "table.csv"]);
  await page.getByRole("button", { name: "Remove table.csv" }).click();
  await page.getByRole("button", { name: "Remove pasted.png" }).click();
  await expect.poll(names, SOON).toEqual(["chosen.png", "notes.md"]);
});

test("what is too large, of no kind a member reads, or too many is refused in a sentence; the rest stays", async () => {
  await files().setInputFiles([{ name: "a.zip", mimeType: "image/png", buffer: Buffer.from([80, 75, 0, 1]) }]);
  await problem().getByText("a.zip is neither an image (PNG, JPEG, GIF, WebP) nor a text").waitFor();
  await files().setInputFiles(Array.from({ length: 31 }, (_, at) => png(`more-${at}.png`)));
  await problem().getByText("A message can have at most 32 files. Left out: more-30.png.").waitFor();
  await expect.poll(() => chips().count(), SOON).toBe(32);
  await leaveOut(/^more-/);
  await expect.poll(() => chips().count(), SOON).toBe(2);
  await draft(page).fill("/help");
  await page.keyboard.press("Escape");
  await draft(page).press("Enter");
  await problem().getByText("Commands can't include files.").waitFor();
  await expect.poll(() => chips().count(), SOON).toBe(2);
});

test("files that are added at the same moment and are too many together are named, and so is what is wrong with others", async () => {
  const before = await chips().count();
  await page.evaluate(() => {
    for (const which of ["a", "b", "c"]) {
      const dropped = new DataTransfer();
      for (let at = 0; at < 12; at += 1) dropped.items.add(new File(["text"], `${which}-${at}.txt`));
      if (which === "a") dropped.items.add(new File([new Uint8Array([80, 75, 0, 1])], "a.zip"));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }
  });
  await expect.poll(() => chips().count(), SOON).toBe(32);
  const words = async () => (await problem().allInnerTexts()).join("");
  await expect.poll(words, SOON).toMatch(/a\.zip is neither an image/);
  // Whichever was looked at first: all that came are shown or named.
  const leftOut = async () =>
    [...(await words()).matchAll(/Left out: (.+?)(?: and (\d+) more)?\.(?= A message|$)/g)].reduce(
      (sum, [, names = "", more = "0"]) => sum + names.split(", ").length + Number(more),
      0,
    );
  await expect.poll(leftOut, SOON).toBe(36 + before - 32);
  await leaveOut(/^[abc]-/);
  await expect.poll(() => chips().count(), SOON).toBe(before);
});

test("a message with files begins a session: they are stored 0600, sent with it, and shown as pictures here and after a reload", async () => {
  await draft(page).fill("what is in these?");
  await draft(page).press("Enter");
  const sessionId = await sessionOf(page);
  const message = () => log(page).locator(".user").first();
  await message().getByRole("img", { name: "chosen.png" }).waitFor();
  expect(await chips().count()).toBe(0);
  const width = () =>
    message()
      .getByRole("img")
      .evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width, SOON).toBe(1);
  await log(page).getByText("ignoring 2 attachments").waitFor();
  const directory = join(on.serving.home.dataDir, "blobs", sessionId);
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
  await page.reload();
  await message().getByRole("img", { name: "chosen.png" }).waitFor();
  await expect.poll(width, SOON).toBe(1);
  const saved = page.waitForEvent("download");
  await message().getByRole("button", { name: "Save notes.md" }).click();
  expect(readFileSync(await (await saved).path(), "utf8")).toBe("# Notes");
  expect((await saved).suggestedFilename()).toBe("notes.md");
  expect(on.faults).toEqual([]);
});
