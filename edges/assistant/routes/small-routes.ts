/** Routes of assistant's page beside sessions: agents, plugins, preferences. */
import { Json } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import {
  answer,
  type Route,
  type RouteContext,
  type SessionDefaults,
  compatReading,
  compatWriting,
} from "../../../src/server/index.ts";
import { listAgents } from "./agents.ts";
import { operation, readArguments } from "./operation.ts";
import type { MarkStore } from "./session-marks.ts";
import { OperationError, operationAnswer } from "./wire-errors.ts";

const PREFERENCES = "/preferences";

export function createSmallRoutes(deps: {
  readonly defaults: SessionDefaults;
  readonly marks: MarkStore;
  readonly version: string;
}): Route[] {
  const { defaults, marks, version } = deps;
  const plugins = pluginList(version);
  const change = (c: RouteContext) => changePreferences(c, marks);
  return [
    operation("/api/plugins/agents/operations/list", async () => ({ agents: (await listAgents(defaults)) as never })),
    { method: "GET", path: "/api/plugins", policy: compatReading, handle: () => answer(200, { plugins }) },
    {
      method: "GET",
      path: PREFERENCES,
      policy: compatReading,
      handle: async () => answer(200, (await marks.read()).preferences),
    },
    { method: "PATCH", path: PREFERENCES, policy: compatWriting, handle: change },
    { method: "POST", path: PREFERENCES, policy: compatWriting, handle: change },
  ];
}

async function changePreferences(c: RouteContext, marks: MarkStore): Promise<Response> {
  try {
    const given = Json.safeParse(await readArguments(c));
    if (!given.success) throw new OperationError(undefined, "Invalid preferences payload");
    const next = assistant.mergePatch((await marks.read()).preferences, given.data as Record<string, Json>);
    await marks.setPreferences(next);
    return answer(200, next);
  } catch (thrown) {
    return operationAnswer(thrown, "a change of preferences");
  }
}

/** The three plugins whose operations are answered here; the chat panel's own files come with the page. */
function pluginList(version: string): Json[] {
  const surfaces = { tool: false, http: true, cli: false };
  const [sessions, chat] = [
    ["sessions.read", "sessions.write"],
    ["chat.read", "chat.write"],
  ];
  const server = { provides: ["sessions"], capabilities: sessions };
  const panel = {
    type: "chat",
    title: "Chat",
    icon: "message-square",
    multiInstance: true,
    defaultSessionBinding: "fixed",
    sessionScope: "optional",
    defaultPlacement: { region: "center" },
    capabilities: chat,
  };
  return [
    { id: "sessions", version, description: "Sessions and their messages.", surfaces, server },
    { id: "agents", version, description: "Agents that can be asked.", surfaces },
    {
      id: "chat",
      version,
      description: "The chat panel.",
      capabilities: chat,
      panels: [panel],
      web: { bundlePath: "/plugins/chat/bundle.js", stylesPath: "/plugins/chat/styles.css" },
    },
  ];
}
