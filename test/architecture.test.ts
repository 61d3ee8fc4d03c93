/**
 * The map of the code, as a test. Each room of src/ may import only the rooms listed after it, and only through their
 * index.ts. An arrow missing from this table is missing on purpose: change the table in its own commit and say why.
 */
import path from "node:path";
import { expect, test } from "vitest";
import { findCycles, findImporters, imports, sources } from "./source-graph.ts";

const ROOMS: Record<string, readonly string[]> = {
  kit: [],
  protocol: ["kit"],
  transcript: ["protocol", "kit"],
  log: ["protocol", "kit"],
  agents: ["protocol", "kit"],
  session: ["protocol", "transcript", "log", "agents", "kit"],
  host: ["protocol", "transcript", "log", "session", "agents", "kit"],
  server: ["host", "protocol", "transcript", "client", "kit"],
  client: ["protocol", "transcript", "kit"],
  tui: ["protocol", "transcript", "client", "kit"],
  web: ["protocol", "transcript", "client", "kit"],
  team: ["protocol", "transcript", "log", "host", "server", "client", "kit"],
  edge: ["protocol", "transcript", "log", "agents", "session", "host", "server", "client", "kit"],
  cli: [
    "protocol",
    "transcript",
    "log",
    "agents",
    "session",
    "host",
    "server",
    "client",
    "team",
    "edge",
    "tui",
    "web",
    "kit",
  ],
};

/** Files of other systems, read and written by their edges. */
const EDGE_FILES = [
  "edges/interchange/claude/files.ts",
  "edges/interchange/lines/",
  "edges/kingdom/list-threads.ts",
  "edges/kingdom/mirror/",
  "edges/kingdom/offer.ts",
  "edges/linggen/routes/",
  // Only to resolve their directory.
  "edges/members/",
  "edges/sprout/files.ts",
  "edges/sprout/write-sprout.ts",
];
/** Routes for clients of other systems; the server is the core's. */
const EDGE_ROUTES = ["edges/assistant/routes/", "edges/linggen/routes/"];

/** Modules and packages that reach the outside world or decide how something looks, and the only files that import them. */
const ONLY: Record<string, readonly string[]> = {
  "node:child_process": [
    "src/agents/",
    "src/cli/connect/background-server.ts",
    // The user's own shell, editor and clipboard.
    "src/cli/chat/user-programs.ts",
    "src/cli/chat/file-editor.ts",
    // The lock of thread files is flock(2), which Node cannot take; util-linux's program holds it for us.
    "edges/kingdom/mirror/files/file-lock.ts",
  ],
  "node:fs": [
    "src/kit/files/atomic-file.ts",
    "src/kit/files/own-file.ts",
    "src/kit/files/private-directory.ts",
    "src/kit/files/read-beginning.ts",
    "src/kit/files/read-regular-file.ts",
    "src/kit/files/checkout-directories.ts",
    "src/kit/files/session-directory.ts",
    "src/kit/files/watch-directory.ts",
    "src/log/",
    "src/agents/",
    "src/host/",
    "src/server/",
    "src/cli/",
    ...EDGE_FILES,
  ],
  "node:fs/promises": [
    "src/kit/files/atomic-file.ts",
    "src/kit/files/read-beginning.ts",
    "src/log/",
    "src/agents/",
    "src/host/",
    "src/server/",
    "src/cli/",
    "src/team/store/postgres/blobs.ts",
    "src/team/runner/command-journal.ts",
    // Only to see where a link leads.
    "src/team/runner/start-session.ts",
    ...EDGE_FILES,
  ],
  "node:net": [
    "src/kit/io/line-socket.ts",
    "src/agents/discovery/model-servers.ts",
    "src/agents/host-tools/",
    "src/host/",
    "src/client/",
    // Only to read addresses and networks.
    "src/cli/commands/team/reach.ts",
  ],
  "node:sqlite": ["src/log/", "src/host/search/"],
  "node:http": ["src/server/", ...EDGE_ROUTES],
  "@hono/node-server": ["src/server/", ...EDGE_ROUTES],
  hono: ["src/server/", ...EDGE_ROUTES],
  pg: ["src/team/store/postgres/"],
  "openid-client": ["src/team/people/provider.ts"],
  ws: ["src/server/", "edges/assistant/routes/"],
  "@agentclientprotocol/sdk": ["edges/acp-agent/"],
  "@modelcontextprotocol/client": ["src/agents/model/mcp/"],
  "@earendil-works/pi-tui": ["src/tui/"],
  marked: [
    "src/kit/text/markdown-blocks.ts",
    "src/tui/markdown/",
    "src/web/markdown/",
    "edges/interchange/html/",
    "edges/interchange/markdown/",
    "edges/interchange/readable/",
  ],
  "highlight.js": ["src/tui/markdown/"],
};

/** The entry of a module or package, for whatever path of a package is imported. */
function onlyIn(specifier: string): readonly string[] | undefined {
  if (specifier.startsWith("node:")) return ONLY[specifier];
  return ONLY[/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ""];
}

/** Rooms that must also run in a browser. */
const NO_NODE = ["protocol/", "transcript/", "client/", "web/"];

/** The rooms of `src/`. */
const inRooms = imports
  .filter(({ file }) => file.startsWith("src/"))
  .map(({ file, specifier, target }) => ({
    file: file.slice("src/".length),
    specifier,
    from: file.split("/")[1] ?? "",
    target: target?.startsWith("src/") === true ? target.slice("src/".length) : undefined,
  }));

const FILES_PER_FOLDER_MAX = 25;
/** Only goes down: nobody raises it to get a change through. */
const ONE_IMPORTER_SHARE_MAX = 0.36;

/** Names every offender, so one run shows all that is wrong. */
function expectNone(offenders: readonly { file: string; specifier: string }[], hint: string): void {
  expect(
    offenders.map((edge) => `${edge.file} → ${edge.specifier}`),
    hint,
  ).toEqual([]);
}

test("the source was found", () => {
  expect(sources.length).toBeGreaterThan(10);
  expect(imports.length).toBeGreaterThan(10);
  expect([...new Set(inRooms.map(({ from }) => from))].filter((room) => !ROOMS[room])).toEqual([]);
});

test("rooms import only the rooms below them", () => {
  expectNone(
    inRooms.filter(({ from, target }) => {
      const to = target?.split("/")[0];
      return to !== undefined && to !== from && !ROOMS[from]?.includes(to);
    }),
    "see ROOMS in this file",
  );
});

test("rooms are entered by their index.ts", () => {
  expectNone(
    inRooms.filter(({ from, target }) => {
      const [to, ...rest] = target?.split("/") ?? [];
      return to !== undefined && to !== from && to !== "kit" && rest.join("/") !== "index.ts";
    }),
    "import the room, not a file in it",
  );
});

test("a room does not import its own index.ts", () => {
  expectNone(
    inRooms.filter(({ from, target }) => target === `${from}/index.ts`),
    "import the file itself",
  );
});

test("only the named places touch the outside world", () => {
  expectNone(
    imports.filter(({ file, specifier }) => onlyIn(specifier)?.some((allowed) => file.startsWith(allowed)) === false),
    "see ONLY in this file",
  );
});

test("what a browser runs needs no Node", () => {
  expectNone(
    inRooms.filter(
      ({ file, specifier }) => specifier.startsWith("node:") && NO_NODE.some((room) => file.startsWith(room)),
    ),
    "see NO_NODE in this file",
  );
});

test("the core imports no edge", () => {
  expectNone(
    imports.filter(
      ({ file, target }) =>
        file.startsWith("src/") &&
        target?.startsWith("edges/") === true &&
        !(file === "src/cli/edges.ts" && /^edges\/[^/]+\/index\.ts$/.test(target)),
    ),
    "edges plug into the core; only the registry in src/cli/edges.ts names them, by their index.ts",
  );
});

test("an edge loads its code with import()", () => {
  expectNone(
    imports.filter(
      ({ file, target, isType, isLazy }) =>
        /^edges\/[^/]+\/index\.ts$/.test(file) && !isType && !isLazy && target?.startsWith("src/kit/") !== true,
    ),
    "the index.ts of an edge is read at every start: it names what there is and imports only types",
  );
});

test("an edge imports the core by its doors, and no other edge", () => {
  expectNone(
    imports.filter(({ file, target }) => {
      if (!file.startsWith("edges/") || target === undefined) return false;
      const [top, room, ...rest] = target.split("/");
      if (top === "edges") return room !== file.split("/")[1];
      return room !== "kit" && rest.join("/") !== "index.ts";
    }),
    "import the room, not a file in it",
  );
});

test("formats of edges are pure", () => {
  expectNone(
    imports.filter(
      ({ file, specifier }) =>
        /^edges\/.*\/format\//.test(file) && specifier.startsWith("node:") && specifier !== "node:crypto",
    ),
    "a format maps values to values: files, sockets and clocks belong beside it",
  );
});

test("folders stay small enough to read", () => {
  const sizes = new Map<string, number>();
  for (const file of sources) sizes.set(path.dirname(file), (sizes.get(path.dirname(file)) ?? 0) + 1);
  expect([...sizes].filter(([, size]) => size > FILES_PER_FOLDER_MAX)).toEqual([]);
});

test("nothing imports itself in a circle, not even types", () => {
  expect(findCycles(({ isLazy }) => !isLazy)).toEqual([]);
});

test("files with a single importer only become fewer", () => {
  const importers = [...findImporters().values()];
  const share = importers.filter((files) => files.size === 1).length / importers.length;
  expect(share).toBeLessThanOrEqual(ONE_IMPORTER_SHARE_MAX);
});
