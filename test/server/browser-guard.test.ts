/** The page of a stranger in a real browser, against our server and against an unguarded copy of it. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPageFiles } from "../../src/cli/page-files.ts";
import { inParallel } from "../in-parallel.ts";
import { launchBrowser } from "../web/browser.ts";
import { crossOriginAttacks, openReboundPage, reboundAttacks, type Prey } from "./browser-attacks.ts";
import { ask, createSession, openServer, type OpenServer } from "./open-server.ts";
import { startUnguardedServer, type UnguardedServer } from "./unguarded-server.ts";
import { patient } from "../patience.ts";

const SECRET = "a title that nobody else may read";

/** As trusting as a page can be: the guard must hold in front of any. */
const NAIVE_PAGE = "<!doctype html><title>the page</title><script src=/app.js></script>";
const NAIVE_SCRIPT = `
addEventListener("message", ({ data }) => (document.title = data));
const url = new URLSearchParams(location.search).get("url");
if (url !== null) fetch(url).catch(() => {});
`;
const PIXEL = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

/** Every name under .example is this machine, and no help of newer browsers against such pages is on. */
const LENIENT = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--in-process-gpu",
  "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests,HttpsUpgrades",
  "--host-resolver-rules=MAP *.example 127.0.0.1",
];

let browser: Browser;
let open: OpenServer;
let copy: UnguardedServer;
let stranger: Server;
let sessionId: string;

beforeAll(async () => {
  open = await openServer({
    pageFiles: [
      { path: "/", contentType: "text/html; charset=utf-8", body: Buffer.from(NAIVE_PAGE) },
      { path: "/app.js", contentType: "text/javascript; charset=utf-8", body: Buffer.from(NAIVE_SCRIPT) },
      { path: "/pixel.gif", contentType: "image/gif", body: PIXEL },
    ],
  });
  sessionId = await createSession(open, { title: SECRET });
  copy = await startUnguardedServer(open.server.routes, open.host);
  stranger = createServer((_request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>stranger</title><body>");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  browser = await launchBrowser(LENIENT);
});
afterAll(async () => {
  await browser.close();
  stranger.closeAllConnections();
  stranger.close();
  await copy.close();
  await open.close();
});

function preyAt(port: number): Prey {
  const hasSession = async (title: string) =>
    (await open.host.listSessions()).some((session) => session.title.startsWith(title));
  return { port, sessionId, secret: SECRET, hasSession };
}

const allAttacks = [...crossOriginAttacks, ...reboundAttacks].map(({ name }) => name);
/** Pages of one stranger that attack at once. */
const AT_A_TIME = 4;

/** The names of the attacks that gained something. */
async function successes(prey: Prey, origin: string): Promise<string[]> {
  const context = await browser.newContext();
  context.setDefaultTimeout(patient(15_000));
  const gained = new Set<string>();
  await inParallel(crossOriginAttacks, AT_A_TIME, async ({ name, run }) => {
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    if (await run(page, prey)) gained.add(name);
    await page.close();
  });
  await inParallel(reboundAttacks, AT_A_TIME, async ({ name, run }) => {
    if (await run(await openReboundPage(context, prey), prey)) gained.add(name);
  });
  await context.close();
  return allAttacks.filter((name) => gained.has(name));
}

function allLogs(): Record<string, string> {
  const directory = join(open.dataDir, "logs");
  const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), "utf8")]));
}

const originsOfStrangers = () => {
  const { port } = stranger.address() as AddressInfo;
  return [`http://evil.example:${port}`, `http://127.0.0.1:${port}`];
};

test("[V84] no page of another origin, another port or a rebound name reads or does anything, and no log changes", async () => {
  const before = allLogs();
  const gained = await Promise.all(originsOfStrangers().map((origin) => successes(preyAt(open.port), origin)));
  expect(gained).toEqual([[], []]);
  expect(Object.keys(before)).toEqual([`${sessionId}.jsonl`]);
  expect(allLogs()).toEqual(before);
});

test("[V84] the same page gains something by every one of these ways from the unguarded copy", async () => {
  const [origin = ""] = originsOfStrangers();
  expect(await successes(preyAt(copy.port), origin)).toEqual(allAttacks);
});

test("the real page accepts neither server nor token nor code from its address, and contacts no other host", async () => {
  const [origin = ""] = originsOfStrangers();
  const real = await openServer({ pageFiles: await readPageFiles() });
  const code = real.server.newLink().split("#code=")[1] ?? "";
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const names = ["url", "server", "gatewayUrl", "ws", "base"].map((name) => `${name}=${encodeURIComponent(origin)}`);
  await page.goto(`${real.server.url}/?${names.join("&")}&token=${real.server.token}&t=${code}&code=${code}`);
  await page.getByText(/^You're signed out\. Run roundtable web in a terminal/).waitFor();
  expect(asked.filter((url) => !url.startsWith(`${real.server.url}/`) && !url.startsWith("data:"))).toEqual([]);
  expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
  const exchanged = await ask(real, "/v1/exchange", { code });
  expect(await exchanged.json()).toEqual({ token: real.server.token });
  await page.close();
  await real.close();
});
