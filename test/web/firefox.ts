/**
 * Firefox as it comes, driven by WebDriver BiDi: what drives Chromium here asks it for commands that not every version
 * has.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { WebSocket } from "ws";
import { patient } from "../patience.ts";
import { becomes, SOON } from "./open-page.ts";

const NAMES = ["firefox", "firefox-esr"];
const USUAL = ["/Applications/Firefox.app/Contents/MacOS/firefox", "/usr/lib/firefox/firefox", "/opt/firefox/firefox"];
const START_MS = patient(60_000);

/** FIREFOX_PATH, one on PATH, or one in its usual place. */
export function firefoxFile(): string | undefined {
  const directories = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one));
  const onPath = NAMES.flatMap((name) => directories.map((directory) => path.join(directory, name)));
  const { FIREFOX_PATH: named = "" } = process.env;
  return named === "" ? [...onPath, ...USUAL].find((file) => existsSync(file)) : named;
}

export interface FirefoxPage {
  goTo(url: string): Promise<void>;
  reload(): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** What a function of the page returns. */
  run<T, Args extends readonly unknown[]>(work: (...args: Args) => T, ...args: Args): Promise<T>;
  /** Once the function is true there. */
  until<Args extends readonly unknown[]>(work: (...args: Args) => boolean, ...args: Args): Promise<void>;
  /** The first visible element of a selector, whose name or text is this, once it is there. */
  click(selector: string, name?: string): Promise<void>;
  /** Into what has the focus; "\uE007" is Enter, "\uE00C" Escape. */
  type(text: string): Promise<void>;
  /** Errors that the page did not handle. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly message?: string;
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
  readonly result?: unknown;
}

export async function openFirefox(file: string): Promise<FirefoxPage> {
  const scratch = mkdtempSync(path.join(tmpdir(), "rt-firefox-"));
  const args = ["--headless", "--no-remote", "--profile", scratch, "--remote-debugging-port", "0"];
  const child = spawn(file, args, { env: { ...process.env, HOME: scratch }, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const address = await listening(child.stderr);
  const faults: string[] = [];
  const send = await connect(`${address}/session`, ({ level, text = "" }) => level === "error" && faults.push(text));
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { context } = await send<{ context: string }>("browsingContext.create", { type: "tab" });
  const input = async (source: object) => void (await send("input.performActions", { context, actions: [source] }));
  const run: FirefoxPage["run"] = async (work, ...given) => {
    const expression = `JSON.stringify([(${work.toString()})(...${JSON.stringify(given)})])`;
    const evaluated = await send<{ result?: { value: string }; exceptionDetails?: { text: string } }>(
      "script.evaluate",
      { expression, target: { context }, awaitPromise: true },
    );
    if (evaluated.result === undefined) throw new Error(evaluated.exceptionDetails?.text);
    return (JSON.parse(evaluated.result.value) as [never])[0];
  };
  const until: FirefoxPage["until"] = (work, ...given) => becomes(() => run(work, ...given), true);
  return {
    faults,
    run,
    until,
    goTo: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    reload: async () => void (await send("browsingContext.reload", { context, wait: "complete" })),
    resize: async (width, height) =>
      void (await send("browsingContext.setViewport", { context, viewport: { width, height } })),
    async click(selector, name) {
      const at = await becomesThere(() => run(place, selector, name ?? ""));
      const press = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }));
      await input({ type: "pointer", id: "mouse", actions: [{ type: "pointerMove", ...at }, ...press] });
    },
    async type(text) {
      const actions = text.split("").flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value })));
      await input({ type: "key", id: "keys", actions });
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Runs in the page: the middle of the first visible element whose name or text begins so, if nothing covers it. */
function place(selector: string, name: string): { x: number; y: number } | null {
  for (const element of document.querySelectorAll(selector)) {
    const label = element.getAttribute("aria-label") ?? element.textContent ?? "";
    const { x, y, width, height } = element.getBoundingClientRect();
    const middle = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
    if (width === 0 || !label.trim().startsWith(name)) continue;
    const top = document.elementFromPoint(middle.x, middle.y);
    if (top !== null && (element.contains(top) || top.contains(element))) return middle;
  }
  return null;
}

async function becomesThere<T>(look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + SOON.timeout;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error("it is not there");
  }
}

function listening(stderr: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const timer = setTimeout(() => reject(new Error(`Firefox does not listen: ${printed}`)), START_MS);
    stderr.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4_000);
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(printed)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

type Send = <T>(method: string, params: object) => Promise<T>;

async function connect(url: string, onLog: (entry: NonNullable<Answer["params"]>) => void): Promise<Send> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  socket.on("message", (data: Buffer) => {
    const answer = JSON.parse(data.toString("utf8")) as Answer;
    if (answer.id === undefined) return onLog(answer.params ?? {});
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.type === "success") asked?.resolve(answer.result as never);
    else asked?.reject(new Error(answer.message));
  });
  socket.once("close", () => waiting.forEach(({ reject }) => reject(new Error("Firefox has ended"))));
  let last = 0;
  return (method, params) => {
    last += 1;
    const asked = Promise.withResolvers<never>();
    waiting.set(last, asked);
    socket.send(JSON.stringify({ id: last, method, params }));
    return asked.promise;
  };
}
