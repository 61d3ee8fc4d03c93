/**
 * The map of the house, as a test. Each room of src/ may import only the rooms listed after it, and only through their
 * index.ts. An arrow missing from this table is missing on purpose: change the table in its own commit and say why.
 */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOMS: Record<string, readonly string[]> = {
  kit: [],
  protocol: ["kit"],
  transcript: ["protocol", "kit"],
  log: ["protocol", "kit"],
  agents: ["protocol", "kit"],
  session: ["protocol", "transcript", "log", "agents", "kit"],
  wires: ["protocol", "transcript", "kit"],
  host: ["protocol", "transcript", "log", "session", "agents", "wires", "kit"],
  server: ["host", "protocol", "transcript", "client", "wires", "kit"],
  client: ["protocol", "kit"],
  tui: ["protocol", "transcript", "client", "kit"],
  web: ["protocol", "transcript", "client", "kit"],
  cli: ["protocol", "transcript", "log", "agents", "session", "host", "server", "client", "tui", "web", "wires", "kit"],
};

/** Doors to the outside world, and the places that may open them. */
const ONLY: Record<string, readonly string[]> = {
  // The lock of thread files is flock(2), which Node cannot take; util-linux's program holds it for us.
  "node:child_process": [
    "agents/",
    "host/mirror/flock.ts",
    "cli/launch.ts",
    "cli/chat/external-editor.ts",
    "cli/chat/clipboard.ts",
    // The user's own commands, which the terminal app runs where the user sits.
    "cli/chat/user-shell.ts",
  ],
  "node:fs": [
    "kit/atomic-file.ts",
    "kit/make-directory.ts",
    "kit/own-file.ts",
    "kit/private-directory.ts",
    "kit/read-beginning.ts",
    "kit/git-place.ts",
    "log/",
    "agents/",
    "host/",
    "server/",
    "cli/",
  ],
  "node:fs/promises": ["kit/atomic-file.ts", "kit/read-beginning.ts", "log/", "agents/", "host/", "server/", "cli/"],
  "node:net": ["kit/line-socket.ts", "agents/find/model-servers.ts", "agents/table-tools/", "host/", "client/"],
  "node:sqlite": ["log/", "host/search/"],
  "node:http": ["server/"],
  "@hono/node-server": ["server/"],
  hono: ["server/"],
  ws: ["server/"],
  "@earendil-works/pi-tui": ["tui/"],
  marked: [
    "kit/markdown-blocks.ts",
    "tui/markdown/",
    "web/markdown/",
    "wires/readable/",
    "wires/markdown-export/",
    "wires/html-export/",
  ],
  "highlight.js": ["tui/markdown/"],
};

/** Rooms that must also run in a browser. */
const NO_NODE = ["protocol/", "transcript/", "client/", "web/"];

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g;
const files = readdirSync("src", { recursive: true })
  .map((name) => String(name).split(path.sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|torture)\.ts$/.test(file));

const edges = files.flatMap((file) =>
  [...readFileSync(path.join("src", file), "utf8").matchAll(IMPORT)].map(([, specifier = ""]) => ({
    file,
    specifier,
    from: file.split("/")[0] ?? "",
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
  })),
);

/** Names every offender, so one run shows all that is wrong. */
function expectNone(offenders: typeof edges, hint: string): void {
  expect(
    offenders.map((edge) => `${edge.file} → ${edge.specifier}`),
    hint,
  ).toEqual([]);
}

test("the source was found", () => {
  expect(files.length).toBeGreaterThan(10);
  expect(edges.length).toBeGreaterThan(10);
  expect([...new Set(edges.map((edge) => edge.from))].filter((room) => !ROOMS[room])).toEqual([]);
});

test("rooms import only the rooms below them", () => {
  expectNone(
    edges.filter(({ from, target }) => {
      const to = target?.split("/")[0];
      return to !== undefined && to !== from && !ROOMS[from]?.includes(to);
    }),
    "see ROOMS in this file",
  );
});

test("rooms are entered by their index.ts", () => {
  expectNone(
    edges.filter(({ from, target }) => {
      const [to, ...rest] = target?.split("/") ?? [];
      return to !== undefined && to !== from && to !== "kit" && rest.join("/") !== "index.ts";
    }),
    "import the room, not a file in it",
  );
});

test("a room does not import its own index.ts", () => {
  expectNone(
    edges.filter(({ from, target }) => target === `${from}/index.ts`),
    "import the file itself",
  );
});

test("only the named places touch the outside world", () => {
  expectNone(
    edges.filter(({ file, specifier }) => ONLY[specifier] && !ONLY[specifier].some((place) => file.startsWith(place))),
    "see ONLY in this file",
  );
});

test("what a browser runs needs no Node", () => {
  expectNone(
    edges.filter(
      ({ file, specifier }) => specifier.startsWith("node:") && NO_NODE.some((room) => file.startsWith(room)),
    ),
    "see NO_NODE in this file",
  );
});
