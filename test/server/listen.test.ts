/** `serve --listen` for the other devices of one person: TLS, pairing from a terminal, and who is not let in. */
import { mkdtempSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { generate } from "lean-qr";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { qrCode } from "../../src/cli/terminal/qr-code.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { createHome } from "../cli/program.ts";
import { createCertificate, freePort, startProgram, type Certificate } from "../team/team-program.ts";
import { openBrowser } from "../web/browser.ts";
import { draft } from "../web/open-page.ts";
import { startServing, type Serving } from "./serve-program.ts";

let serving: Serving;
let certificate: Certificate;
let port: number;
let url: string;
let browser: Browser;

beforeAll(async () => {
  certificate = createCertificate();
  port = await freePort();
  url = `https://localhost:${port}`;
  const tls = ["--tls-cert", certificate.cert, "--tls-key", certificate.key];
  serving = await startServing({}, ["--listen", `0.0.0.0:${port}`, ...tls]);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await serving.stop();
});

async function pair(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await serving.home.run(["devices", "add", ...args]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^Open the link on the device, or type \w{4}-\w{4} at https:/),
  ]);
  return stdout.trim();
}

const newMachine = () => ({ dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "phone" });

const statusOf = async (device: ServerDevice, at: string, init: RequestInit = {}): Promise<number> => {
  const headers = { authorization: `Bearer ${await device.token()}`, "content-type": "application/json" };
  return (await fetch(`${url}${at}`, { ...init, headers })).status;
};

test("says where other devices reach it, and a link of the terminal signs one in, once", async () => {
  expect(serving.printed()).toContain(`Your other devices reach it at ${url}; roundtable devices add signs one in.`);
  const link = await pair();
  expect(link).toMatch(new RegExp(String.raw`^${url}/#code=[\w-]{43}$`));
  const device = await openServerDevice(link, newMachine());
  expect(await statusOf(device, "/v1/sessions")).toBe(200);
  expect(await statusOf(device, "/v1/sessions", { method: "POST", body: "{}" })).toBe(200);
  await expect(openServerDevice(link, newMachine())).rejects.toThrow("The code is invalid, expired or already used.");
});

test("commands on a signed-in machine read its sessions, where there is nobody else to name", async () => {
  const laptop = createHome();
  const run = async (...args: string[]) => await laptop.run(args, { env: { NODE_EXTRA_CA_CERTS: certificate.cert } });
  expect((await run("sessions", "list", "--server", await pair())).code).toBe(0);
  expect((await serving.home.run(["-p", "hello from here"])).code).toBe(0);
  expect(await run("sessions", "show", "hello from here", "--server", url)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("● you\nhello from here\n"),
  });
});

test("a read-only device is listed as one, and writes nothing", async () => {
  const device = await openServerDevice(await pair("--read-only", "--days", "30"), newMachine());
  expect(await statusOf(device, "/v1/sessions")).toBe(200);
  expect(await statusOf(device, "/v1/sessions", { method: "POST", body: "{}" })).toBe(403);
  const { stdout } = await serving.home.run(["devices"]);
  expect(stdout).toMatch(/phone {2}https:\/\/localhost:\d+ {2}since .* {2}read-only {2}until \d{4}-\d\d-\d\d/);
});

test("the page of a signed-in device shows a QR code and a code, by which a phone signs in", async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(await pair());
  await draft(page).waitFor();
  await page.goto(`${url}/#/settings/devices`);
  await page.getByRole("button", { name: "Add a device" }).click();
  await page.getByRole("img", { name: "QR code with the link" }).waitFor();
  const code = page.locator(".set-code", { hasText: /^\w{4}-\w{4}$/ });
  await code.waitFor();
  const before = await code.textContent();
  await page.getByLabel("Access").selectOption("Read-only");
  await expect.poll(() => code.textContent()).not.toBe(before);
  const phone = await browser.newContext({ ignoreHTTPSErrors: true });
  const second = await phone.newPage();
  await second.goto(url);
  await second.getByLabel("Sign-in code").fill((await code.textContent()) ?? "");
  await second.keyboard.press("Enter");
  await draft(second).waitFor();
  const { stdout } = await serving.home.run(["devices", "--json"]);
  const devices = JSON.parse(stdout) as { name: string; scope: string }[];
  expect(
    devices
      .filter(({ name }) => name.startsWith("Chrome"))
      .map(({ scope }) => scope)
      .sort(),
  ).toEqual(["manage", "read"]);
  await phone.close();
  await context.close();
});

test("the token of programs, other names and other sites are refused there", async () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const host = `localhost:${port}`;
      const asking = request(
        { host: "127.0.0.1", port, servername: "localhost", path: "/v1/sessions", headers: { host, ...headers } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      asking.on("error", reject).end();
    });
  const device = await openServerDevice(await pair(), newMachine());
  const authorization = `Bearer ${await device.token()}`;
  expect(await ask({ authorization })).toBe(200);
  expect(await ask({ authorization: `Bearer ${serving.token}` })).toBe(401);
  expect(await ask({ authorization, host: `evil.example:${port}` })).toBe(403);
  expect(await ask({ authorization, host: `192.0.2.1:${port}` })).toBe(403);
  expect(await ask({ authorization, origin: "https://evil.example" })).toBe(403);
  expect(await ask({ authorization, origin: `http://localhost:${port}` })).toBe(403);
  expect(await ask({ authorization, "sec-fetch-site": "cross-site" })).toBe(403);
  const exchange = await fetch(`${url}/v1/exchange`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: new URL(await pair()).hash.slice("#code=".length) }),
  });
  expect(exchange.status).toBe(401);
});

test("options that would open it without TLS, or that mean nothing, are refused with what to do", async () => {
  const { env, project } = serving.home;
  const refusal = async (...args: string[]) => {
    const program = startProgram(["serve", ...args], env, project);
    expect(await program.ended).toBe(2);
    return program.printed();
  };
  expect(await refusal("--listen", "0.0.0.0:1")).toBe(
    "roundtable: --listen 0.0.0.0:1 can be reached from other machines, so it needs TLS. Give --tls-cert and --tls-key, or --trust-proxy with the network of a proxy that has them.\n",
  );
  expect(await refusal("--tls-cert", "cert.pem")).toBe(
    "roundtable: --tls-cert needs --listen. Add --listen with the address for other machines.\n",
  );
  expect(await refusal("--database", "postgres://x")).toBe("roundtable: --database needs --team. Add --team.\n");
});

test("a QR code in half blocks has every square of the code, with an empty border", () => {
  const text = `https://laptop.example:8443/#code=${"a".repeat(43)}`;
  const code = generate(text);
  const lines = qrCode(text)
    .trimEnd()
    .split("\n")
    .map((line) => /231m([ ▄▀█]*)/.exec(line)?.[1] ?? "");
  const side = code.size + 8;
  expect(lines.map((line) => line.length)).toEqual(Array.from({ length: Math.ceil(side / 2) }, () => side));
  const isBlack = (x: number, y: number): boolean =>
    (y % 2 === 0 ? "▀█" : "▄█").includes(lines[Math.floor(y / 2)]?.[x] ?? "?");
  const wrong: [number, number][] = [];
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) if (isBlack(x, y) !== code.get(x - 4, y - 4)) wrong.push([x, y]);
  expect(wrong).toEqual([]);
});
