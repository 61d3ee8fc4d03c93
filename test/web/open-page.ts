/** Pages and programs on a server. The first page of a context signs it in with a code. */
import { inspect, isDeepStrictEqual } from "node:util";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { connectWebSocket, createLastingClient, followSession, type LastingClient } from "../../src/client/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../../src/transcript/index.ts";
import { patient } from "../patience.ts";

/** Where a server is and what lets one in. */
export interface Behind {
  readonly url: string;
  readonly token: string;
}

/** Long, for a machine that has much else to do. */
const WAIT_MS = patient(60_000);
const LOOK_MS = 25;
/** For what is looked at again until it is so. */
export const SOON = { timeout: WAIT_MS };

/** Looks until it is so; for tests that run beside others, in which vitest's own poll does not know whose it is. */
export async function becomes<T>(look: () => Promise<T> | T, wanted: T): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await look();
    if (isDeepStrictEqual(found, wanted)) return;
    if (performance.now() > deadline) throw new Error(`it is ${inspect(found)}, not ${inspect(wanted)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

type ContextOptions = Partial<{
  width: number;
  height: number;
  colorScheme: "dark";
  isMobile: boolean;
  hasTouch: boolean;
  timezoneId: string;
  locale: string;
}>;

export async function openContext(
  browser: Browser,
  _server: Behind,
  { width = 1280, height = 720, ...options }: ContextOptions = {},
): Promise<BrowserContext> {
  // A spinner that nobody looks at costs more than what is tested.
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(WAIT_MS);
  return context;
}

/** Contexts and the servers they are signed in to. */
const signedIn = new WeakMap<BrowserContext, Set<string>>();

export async function openPage(context: BrowserContext, server: Behind, sessionId?: string): Promise<Page> {
  const page = await context.newPage();
  await signIn(context, page, server);
  // Without a hash it would be loaded a second time, and a phone would open with the inbox.
  await page.goto(`${server.url}/${sessionId === undefined ? "#/" : `#/s/${sessionId}`}`);
  await draft(page).waitFor();
  return page;
}

/** Nothing for a context that is signed in already. */
export async function signIn(context: BrowserContext, page: Page, server: Behind): Promise<void> {
  const known = signedIn.get(context) ?? new Set();
  signedIn.set(context, known);
  if (known.has(server.url)) return;
  known.add(server.url);
  await page.goto(`${server.url}/#code=${await newCode(server)}`);
  await page.locator(".app").waitFor();
}

export async function newCode({ url, token }: Behind, body: { typed?: boolean } = {}): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/codes`, { method: "POST", headers, body: JSON.stringify(body) });
  const { code } = (await answer.json()) as { code: string };
  return code;
}

export const draft = (page: Page) => page.getByRole("textbox", { name: "Message" });
export const log = (page: Page) => page.getByRole("log", { name: "Conversation" });
export const card = (page: Page) => page.locator(".request");
export const note = (page: Page) => page.locator(".request-note");

/** Behind the "…" of a message or a session. */
export async function choose(place: Locator, action: string): Promise<void> {
  await place.hover();
  await place.getByRole("button", { name: /^(?:More actions|More|Actions for .*)$/ }).click();
  await place.getByRole("button", { name: action, exact: true }).click();
}

export async function send(page: Page, text: string): Promise<void> {
  await draft(page).fill(text);
  await draft(page).press("Enter");
}

/**
 * What the conversation looks like, but for where the rows stand: heights that are not known yet are guessed, and a page
 * that came later may have guessed otherwise.
 */
export function pictureOf(page: Page): Promise<string> {
  return log(page).evaluate((node) => node.innerHTML.replaceAll(/ style="[^"]*"/g, ""));
}

/** By this name the page answers. */
export async function nameOf(page: Page): Promise<string> {
  const clientId = await page.evaluate(() => sessionStorage.getItem("roundtable.client") ?? "");
  return `browser ${clientId.slice(-4)}`;
}

/** Which session is drawn, and up to which event: two sessions may well be equally long. */
export async function drawnUpTo(page: Page): Promise<string> {
  const main = page.locator("main");
  return await main.evaluate(({ dataset }) => `${dataset["session"]} up to ${dataset["seq"]}`);
}

/**
 * What was asked to be drawn is drawn: the page rests between two drawings, and rows are measured a frame after they stand
 * there. In its own time, so that it holds however slow the machine is.
 */
export async function isSettled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const startMs = performance.now();
    for (let frames = 0; frames < 4 || performance.now() - startMs < 100; frames += 1)
      await new Promise((done) => requestAnimationFrame(done));
  });
}

export async function sessionOf(page: Page): Promise<string> {
  await page.waitForURL(/#\/s\//);
  return new URL(page.url()).hash.slice("#/s/".length);
}

export interface Program {
  readonly client: LastingClient;
  readonly transcript: () => Transcript;
}

/** A program on the same session, which folds what it hears as the pages do. */
export async function openProgram({ url, token }: Behind, sessionId: string): Promise<Program> {
  const client = await createLastingClient(() => connectWebSocket(url, token), { clientId: "a-program" });
  const session = await followSession(client, sessionId, {
    fold: { empty, fromSnapshot, fold, cursorOf: ({ head }: Transcript) => ({ epoch: head.epoch, seq: head.seq }) },
    onChange: () => {},
    onLost: (error) => {
      throw error;
    },
  });
  return { client, transcript: () => session.state };
}
