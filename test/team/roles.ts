/** A node with one person for each role, with a device for each scope, on sessions of one machine. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, vi } from "vitest";
import { exporters } from "../../src/cli/edges.ts";
import { newId } from "../../src/kit/ids.ts";
import type { Settings } from "../../src/protocol/index.ts";
import {
  openPostgresStore,
  openServerDevice,
  startNode,
  type ServerDevice,
  type TeamNode,
} from "../../src/team/index.ts";
import { patient } from "../patience.ts";
import { createDatabase } from "./database.ts";
import { shipped } from "./events.ts";
import { freePort } from "./team-program.ts";

export type Scope = "read" | "use" | "manage";

export const ROLES = ["viewer", "driver", "opened", "coowner", "ada"] as const;
export const PEOPLE = [...ROLES, "stranger"] as const;
export type Name = (typeof PEOPLE)[number];
export const SCOPES: readonly Scope[] = ["read", "use", "manage"];
export const SECRET = "the plan that nobody else may see";

export const SETTINGS: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: 60,
  request_timeout: 60,
  order: [],
  limits: { turns: 40, minutes: 30, tokens: 1_000_000, usd: 5 },
  writable: false,
  preamble: "Answer.",
};

export interface TeamOfRoles {
  readonly node: TeamNode;
  readonly url: string;
  readonly store: Awaited<ReturnType<typeof openPostgresStore>>;
  /** Answers of the second are open; nobody but its owner has a role on the third. */
  readonly sessions: { readonly shared: string; readonly open: string; readonly foreign: string };
  readonly deviceOf: (name: Name, scope: Scope) => ServerDevice;
  close(): Promise<void>;
}

export const newMachine = (name: string) => ({ dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name });

export async function startTeamOfRoles(): Promise<TeamOfRoles> {
  const database = await createDatabase();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const store = await openPostgresStore({ url: database });
  const node = await startNode({
    database,
    port,
    reach: { address: "127.0.0.1", origin: url },
    // Nobody answers there: the routes are what is asked about.
    provider: { name: "Example", issuer: "https://127.0.0.1:1", clientId: "team", admissions: [] },
    version: "0",
    pageFiles: [],
    defaults: { cwd: "/", settings: SETTINGS, members: [] },
    exporters,
    writeLog: () => {},
  });
  const devices = await createDevices(node, url);
  const deviceOf = (name: Name, scope: Scope) => devices.get(`${name} ${scope}`) as ServerDevice;
  const sessions = { shared: newId(), open: newId(), foreign: newId() };
  const { people } = await store.people.records();
  const owner = [...people.values()].find(({ name }) => name === "ada")?.id ?? "";
  const { id: runnerId } = await store.people.runner(owner, "box");
  for (const sessionId of Object.values(sessions))
    await store.ingest({ sessionId, runnerId, epoch: 1 }, shipped(sessionId, 1, 3, 1, SECRET));
  const ada = deviceOf("ada", "manage");
  await vi.waitFor(async () => expect(await ada.ask<unknown[]>("/v1/sessions")).toHaveLength(3), patient(10_000));
  const roles = { viewer: "viewer", driver: "driver", opened: "driver", coowner: "owner" };
  for (const sessionId of [sessions.shared, sessions.open])
    for (const [person, role] of Object.entries(roles)) await ada.ask("/v1/team/access", { person, role, sessionId });
  await ada.ask("/v1/team/answers", { sessionId: sessions.open, areOpen: true });
  return {
    node,
    url,
    store,
    sessions,
    deviceOf,
    async close() {
      await node.close();
      await store.close();
    },
  };
}

async function createDevices(node: TeamNode, url: string): Promise<Map<string, ServerDevice>> {
  const devices = new Map<string, ServerDevice>();
  const pair = async (name: Name, first: ServerDevice): Promise<void> => {
    for (const scope of SCOPES) {
      const { code } = await first.ask<{ code: string }>("/v1/codes", { scope });
      devices.set(`${name} ${scope}`, await openServerDevice(`${url}/#code=${code}`, newMachine(name)));
    }
  };
  const ada = await openServerDevice((await node.firstInvitation("ada")) ?? "", newMachine("ada"));
  await pair("ada", ada);
  for (const name of PEOPLE.filter((one) => one !== "ada")) {
    const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name });
    await pair(name, await openServerDevice(`${url}/#code=${code}`, newMachine(name)));
  }
  return devices;
}
