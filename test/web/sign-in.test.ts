/** Signing in to the page in a real browser: links, codes, tabs, revocation, and a foreign server at our address. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import { draft, newCode, openContext, openPage } from "./open-page.ts";

let browser: Browser;
let serving: Serving;

beforeAll(async () => {
  [serving, browser] = await Promise.all([startServing(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await serving.stop();
});

async function devicesOf({ url, token }: Serving): Promise<{ id: string; name: string }[]> {
  const answer = await fetch(`${url}/v1/devices`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as { id: string; name: string }[];
}

test("a signed-out page takes a typed code, and from then on every tab and link of the browser is signed in", async () => {
  const context = await openContext(browser, serving);
  const page = await context.newPage();
  await page.goto(serving.url);
  await page.getByText(/^You're signed out\./).waitFor();
  await page.getByText("roundtable web --code", { exact: true }).last().waitFor();
  const field = page.getByLabel("Sign-in code");
  await expect.poll(() => field.evaluate((node) => node === document.activeElement)).toBe(true);
  await field.press("Enter");
  await page.getByRole("alert").getByText("Type the code that").waitFor();
  await field.fill("0000-0000");
  await field.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/^This code doesn't work\. It may have expired or been used already\. Run /)
    .waitFor();
  await field.fill((await newCode(serving, { typed: true })).toLowerCase());
  await field.press("Enter");
  await draft(page).waitFor();
  const second = await context.newPage();
  await second.goto(serving.url);
  await draft(second).waitFor();
  await page.reload();
  await draft(page).waitFor();
  expect((await devicesOf(serving)).map(({ name }) => name)).toEqual(["Chrome on Linux"]);
  // The token is in no storage that outlasts the page, and the key cannot be read.
  const stored = await page.evaluate(async () => {
    const opening = indexedDB.open("roundtable");
    await new Promise((resolve) => (opening.onsuccess = resolve));
    const reading = opening.result.transaction("sign-in").objectStore("sign-in").get("device");
    await new Promise((resolve) => (reading.onsuccess = resolve));
    const { keys } = reading.result as { keys: CryptoKeyPair };
    const exported = await crypto.subtle.exportKey("jwk", keys.privateKey).then(
      () => "exported",
      () => "refused",
    );
    return { exported, kept: JSON.stringify([localStorage, sessionStorage, document.cookie]) };
  });
  expect(stored.exported).toBe("refused");
  expect(stored.kept).not.toMatch(/[\w-]{43}/);
  await context.close();
});

test("a browser that is signed in does not use the code of a link, also when its own sign-in fails for a moment", async () => {
  const context = await openContext(browser, serving);
  await openPage(context, serving);
  const before = await devicesOf(serving);
  let failures = 0;
  await context.route("**/v1/devices/challenge", (route) =>
    (failures += 1) === 1 ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
  );
  const link = await context.newPage();
  await link.goto(`${serving.url}/#code=${await newCode(serving)}`);
  await draft(link).waitFor();
  expect(failures).toBeGreaterThan(1);
  expect(await devicesOf(serving)).toEqual(before);
  await context.close();
});

test("a revoked browser is signed out at once and says so", async () => {
  const before = await devicesOf(serving);
  const context = await openContext(browser, serving);
  const page = await openPage(context, serving);
  const device = (await devicesOf(serving)).find(({ id }) => before.every((one) => one.id !== id));
  const headers = { authorization: `Bearer ${serving.token}` };
  await fetch(`${serving.url}/v1/devices/${device?.id}`, { method: "DELETE", headers });
  await page
    .getByRole("alert")
    .getByText(/^This browser is no longer signed in\./)
    .waitFor();
  await page.reload();
  await page.getByLabel("Sign-in code").waitFor();
  await context.close();
});

test("the page signs nothing for another server at its address", async ({ onTestFinished }) => {
  const context = await openContext(browser, serving);
  const page = await openPage(context, serving);
  await serving.stop();
  const asked: string[] = [];
  const foreign = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ nonce: "a".repeat(43), proof: "b".repeat(86) }));
  });
  onTestFinished(() => {
    foreign.closeAllConnections();
    foreign.close();
  });
  foreign.listen(Number(new URL(serving.url).port), "127.0.0.1");
  await once(foreign, "listening");
  await page
    .getByRole("alert")
    .getByText(/^Another program answers at this address/)
    // What the page was still asking when the server ended may say so beside it.
    .first()
    .waitFor();
  expect(asked).toContain("POST /v1/devices/challenge");
  expect(asked).not.toContain("POST /v1/devices/token");
  await context.close();
});
