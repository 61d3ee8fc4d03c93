/** What the page of a stranger can try in a browser against a server on this machine. */
import type { BrowserContext, Page } from "playwright-core";
import { patient } from "../patience.ts";

export interface Prey {
  readonly port: number;
  readonly sessionId: string;
  /** Stands in the answers that nobody may read. */
  readonly secret: string;
  /** True when a session with this title is there. */
  readonly hasSession: (title: string) => Promise<boolean>;
}

export interface Attack {
  readonly name: string;
  /** True when it read something or did something. */
  readonly run: (page: Page, prey: Prey) => Promise<boolean>;
}

const base = ({ port }: Prey) => `http://127.0.0.1:${port}`;
const SETTLE_MS = patient(3_000);
const SOON_MS = patient(600);
const LOOK_MS = 20;

/** A form that the browser sends as a navigation of its own. */
function form(enctype: string): Attack {
  const name = `form ${enctype}`;
  return {
    name,
    async run(page, prey) {
      // As text/plain the name and the value are sent with "=" between them, so together they can be JSON.
      const field =
        enctype === "text/plain" ? { name: `{"title":"${name}`, value: '"}' } : { name: "title", value: name };
      await page.evaluate(
        ({ action, enctype, field }) => {
          const element = document.createElement("form");
          Object.assign(element, { method: "POST", action, enctype });
          element.append(Object.assign(document.createElement("input"), field));
          document.body.append(element);
          element.submit();
        },
        { action: `${base(prey)}/v1/sessions`, enctype, field },
      );
      // The answer is shown in place of the stranger's page.
      await page.waitForURL(`${base(prey)}/**`);
      return await prey.hasSession(name);
    },
  };
}

function write(name: string, init: RequestInit, at: (prey: Prey) => string = base): Attack {
  return {
    name,
    async run(page, prey) {
      await fetchFrom(page, `${at(prey)}/v1/sessions`, {
        method: "POST",
        body: JSON.stringify({ title: name }),
        ...init,
      });
      return await prey.hasSession(name);
    },
  };
}

function read(name: string, init: RequestInit, at: (prey: Prey) => string = base): Attack {
  return {
    name,
    run: async (page, prey) => (await fetchFrom(page, `${at(prey)}/v1/sessions`, init)).includes(prey.secret),
  };
}

function fetchFrom(page: Page, url: string, init: RequestInit): Promise<string> {
  return page.evaluate(
    async ({ url, init }) => {
      try {
        return await (await fetch(url, init)).text();
      } catch {
        // That is what a refusal looks like from here.
        return "";
      }
    },
    { url, init: init as { method?: string; body?: string } },
  );
}

/** What a WebSocket there says to a hello and a question. */
function webSocket(name: string, protocols: string[], at: (prey: Prey) => string = base): Attack {
  return {
    name,
    async run(page, prey) {
      const received = await page.evaluate(
        ({ url, protocols, waitMs }) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url, protocols);
            let text = "";
            setTimeout(() => resolve(text), waitMs);
            socket.addEventListener("close", () => resolve(text));
            socket.addEventListener("message", ({ data }) => {
              text += data;
              if (text.includes('"reply"')) resolve(text);
            });
            socket.addEventListener("open", () => {
              socket.send(JSON.stringify({ frame: "hello", protocol: 1, clientId: "evil" }));
              socket.send(JSON.stringify({ frame: "list", id: "1" }));
            });
          }),
        { url: `${at(prey).replace("http", "ws")}/v1/ws`, protocols, waitMs: SETTLE_MS },
      );
      return received.includes(prey.secret);
    },
  };
}

const eventSource: Attack = {
  name: "EventSource",
  run: (page, prey) =>
    page.evaluate(
      ({ url, waitMs }) =>
        new Promise<boolean>((resolve) => {
          const source = new EventSource(url, { withCredentials: true });
          setTimeout(() => resolve(false), waitMs);
          source.addEventListener("error", () => resolve(false));
          for (const name of ["message", "heartbeat"]) source.addEventListener(name, () => resolve(true));
        }),
      { url: `${base(prey)}/v1/sessions/${prey.sessionId}/events?after=0`, waitMs: SETTLE_MS },
    ),
};

/** An element that loads something of ours into the page of the stranger. */
function load(name: string, tag: "script" | "img", path: string): Attack {
  return {
    name,
    run: (page, prey) =>
      page.evaluate(
        ({ tag, src }) =>
          new Promise<boolean>((resolve) => {
            const element = Object.assign(document.createElement(tag), { src });
            element.addEventListener("load", () => resolve(true));
            element.addEventListener("error", () => resolve(false));
            document.body.append(element);
          }),
        { tag, src: `${base(prey)}${path}` },
      ),
  };
}

function frame(tag: "iframe" | "object" | "embed"): Attack {
  return {
    name: tag,
    async run(page, prey) {
      const url = `${base(prey)}/`;
      const answered = page.waitForEvent("response", (response) => response.url() === url);
      await page.evaluate(
        ({ tag, url }) => document.body.append(Object.assign(document.createElement(tag), { src: url, data: url })),
        { tag, url },
      );
      await answered;
      return await soon(async () => {
        const inner = page.frames().filter((one) => one !== page.mainFrame());
        const titles = await Promise.all(inner.map((one) => one.title()));
        return titles.includes("the page");
      });
    },
  };
}

/** Looks again for a while: what is refused never comes. */
async function soon(isTrue: () => Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + SOON_MS;
  while (performance.now() < endMs) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}

/** A window of ours that the stranger opened, and talks to. */
const opened: Attack = {
  name: "window.open and postMessage",
  async run(page, prey) {
    const [popup] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate(
        (url) => {
          Object.assign(window, { prey: window.open(url) });
        },
        `${base(prey)}/`,
      ),
    ]);
    await popup.waitForFunction(() => document.title === "the page");
    // Again and again: a page has its title before it listens.
    const isTold = await soon(async () => {
      await page.evaluate(() => (window as unknown as { prey: Window }).prey.postMessage("obey", "*"));
      return (await popup.title()) === "obey";
    });
    await popup.close();
    return isTold;
  },
};

/** A page of ours that would ask whom the address names. */
const ledAway: Attack = {
  name: "?url= in a link",
  async run(page, prey) {
    const away = new URL(page.url()).origin;
    const asked: string[] = [];
    page.on("requestfinished", (request) => asked.push(request.url()));
    await page.goto(`${base(prey)}/?url=${away}/stolen`);
    await page.waitForFunction(() => document.title === "the page");
    return await soon(async () => {
      await page.title();
      return asked.some((url) => url.startsWith(`${away}/stolen`));
    });
  },
};

const everywhere = ({ port }: Prey) => `http://0.0.0.0:${port}`;

/** From the page of another origin. */
export const crossOriginAttacks: readonly Attack[] = [
  form("application/x-www-form-urlencoded"),
  form("multipart/form-data"),
  form("text/plain"),
  read("fetch reads", {}),
  read("fetch reads with credentials", { credentials: "include" }),
  read("fetch reads with a header", { headers: { authorization: "Bearer guess" } }),
  write("fetch writes text", { headers: { "content-type": "text/plain" } }),
  write("fetch writes JSON", { headers: { "content-type": "application/json" } }),
  write("fetch writes with credentials", { credentials: "include" }),
  write("fetch writes without CORS", { mode: "no-cors" }),
  write("fetch writes to 0.0.0.0", { mode: "no-cors" }, everywhere),
  webSocket("WebSocket", []),
  webSocket("WebSocket with a guess", ["roundtable.v1", "token.guess"]),
  webSocket("WebSocket to 0.0.0.0", [], everywhere),
  eventSource,
  load("script", "script", "/app.js"),
  load("image", "img", "/pixel.gif"),
  frame("iframe"),
  frame("object"),
  frame("embed"),
  opened,
  ledAway,
];

const rebound = ({ port }: Prey) => `http://rebind.example:${port}`;

/** From a page whose name came to mean this machine after it was loaded: to the browser it is the same origin. */
export const reboundAttacks: readonly Attack[] = [
  read("rebound fetch reads", {}, rebound),
  write("rebound fetch writes JSON", { headers: { "content-type": "application/json" } }, rebound),
  webSocket("rebound WebSocket", [], rebound),
];

/** The stranger's page under the name that will be ours. */
export async function openReboundPage(context: BrowserContext, prey: Prey): Promise<Page> {
  const url = `${rebound(prey)}/stranger`;
  await context.route(url, (route) => route.fulfill({ contentType: "text/html", body: "<body>" }));
  const page = await context.newPage();
  await page.goto(url);
  return page;
}
