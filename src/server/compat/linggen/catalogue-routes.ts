/** What there is: projects, sessions, agents, models, and the configuration as this door shows it. */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { newId } from "../../../kit/ids.ts";
import { RoundtableError, type MemberSpec } from "../../../protocol/index.ts";
import { linggen } from "../../../wires/index.ts";
import { answer, readBody } from "../../answer.ts";
import { wish } from "../../ask-host.ts";
import type { Route, RouteContext } from "../../policy.ts";
import { createSession } from "./chat-routes.ts";
import type { LinggenParts } from "./linggen-parts.ts";
import { queryOf, reads, readsDrawn, Text, writes } from "./linggen-route.ts";
import { CLIENT_ID } from "./reading.ts";

const AGENTS_MAX = 64;

const Project = z.object({ path: Text });
const NewSession = z.object({ project_root: Text, title: z.string().max(200).nullish() });
const Rename = z.object({ project_root: Text, session_id: Text, title: z.string().min(1).max(200) });
const Remove = z.object({ project_root: Text, session_id: Text });

export function createCatalogueRoutes(parts: LinggenParts): Route[] {
  return [...projectRoutes(parts), ...sessionRoutes(parts), ...configRoutes(parts)];
}

function projectRoutes({ reading, host, defaults }: LinggenParts): Route[] {
  return [
    reads("/api/projects", async () => {
      const found = await reading.directories();
      const projects = found.map(({ path, addedTs }) => ({
        path,
        name: basename(path),
        added_at: linggen.toSeconds(addedTs),
      }));
      return answer(200, projects);
    }),
    writes("POST", "/api/projects", async (c) => {
      // Only what is known already: this door makes nobody work in a directory that its user did not choose.
      await reading.directory((await readBody(c.req, Project)).path);
      return answer(200, { ok: true });
    }),
    readsDrawn("/api/agents", [], async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const prompts = await host.openIdlePrompts();
      // Whoever sits in a session of the project can be asked there, and is asked from this list.
      const seated = (await reading.sessions(root)).flatMap((one) => one.members);
      const names = new Set([...defaults.members.map((one) => one.name), ...seated]);
      const agents = [...names].slice(0, AGENTS_MAX).map((name) => {
        const spec = defaults.members.find((one) => one.name === name);
        const idle = prompts.override(root, name);
        return {
          name,
          description: spec === undefined ? name : `${name} (${spec.kind})`,
          tools: [],
          model: spec?.model ?? null,
          idle_prompt: idle?.prompt ?? null,
          idle_interval_secs: idle?.intervalSecs ?? null,
        };
      });
      return answer(200, agents);
    }),
    reads("/api/skills", () => answer(200, [])),
    reads("/api/files", async (c) => {
      await reading.directory(queryOf(c, "project_root"));
      return answer(200, []);
    }),
    reads("/api/health", () => answer(200, { ok: true })),
  ];
}

function sessionRoutes(parts: LinggenParts): Route[] {
  const { reading } = parts;
  const named = async (sessionId: string, projectRoot: string) => {
    const found = await reading.named(sessionId, projectRoot);
    if (found === undefined) throw new RoundtableError("unknown_session", "Unknown session_id");
    return found;
  };
  return [
    readsDrawn("/api/sessions", [], async (c) => {
      const sessions = await reading.sessions(await reading.directory(queryOf(c, "project_root")));
      const listed = sessions.map(({ sessionId, cwd, title, createdTs }) => ({
        id: sessionId,
        repo_path: cwd,
        title: title === "" ? "New Chat" : title,
        created_at: linggen.toSeconds(createdTs),
      }));
      return answer(200, listed);
    }),
    writes("POST", "/api/sessions", async (c) => {
      const { project_root, title } = await readBody(c.req, NewSession);
      const id = await createSession(parts, await reading.directory(project_root), title ?? "");
      parts.bus.sync();
      return answer(200, { id });
    }),
    writes("PATCH", "/api/sessions", async (c) => {
      const { project_root, session_id, title } = await readBody(c.req, Rename);
      const sessionId = await named(session_id, project_root);
      await wish(parts, CLIENT_ID, sessionId, { type: "rename", commandId: newId(), title });
      return answer(200, { ok: true });
    }),
    writes("DELETE", "/api/sessions", async (c) => {
      const { project_root, session_id } = await readBody(c.req, Remove);
      const sessionId = await named(session_id, project_root);
      await wish(parts, CLIENT_ID, sessionId, { type: "archive", commandId: newId(), archived: true });
      parts.bus.sync();
      return answer(200, { ok: true });
    }),
  ];
}

/** The seed says settings, the program config: both are there. */
function configRoutes({ defaults }: LinggenParts): Route[] {
  const read = (c: RouteContext) => answer(200, configOf(c, defaults.members, defaults.settings.limits.turns));
  const write = async (c: RouteContext) => {
    const given = await readBody(c.req, z.record(z.string(), z.unknown()));
    const now = configOf(c, defaults.members, defaults.settings.limits.turns);
    if (isDeepStrictEqual({ ...now, ...given }, now)) return answer(200, { status: "ok" });
    throw new RoundtableError(
      "unsupported",
      "The configuration is changed in config.jsonc, not here; see roundtable config.",
    );
  };
  return [
    reads("/api/models", () => answer(200, modelsOf(defaults.members))),
    reads("/api/config", read),
    writes("POST", "/api/config", write),
    reads("/api/settings", read),
    writes("POST", "/api/settings", write),
  ];
}

function modelsOf(members: readonly MemberSpec[]) {
  const found = members.map(({ kind, model, baseUrl, name }) => ({
    id: model ?? name,
    provider: kind,
    model: model ?? name,
    url: baseUrl ?? "",
  }));
  return found.filter((one, at) => found.findIndex((other) => other.id === one.id) === at);
}

function configOf(c: RouteContext, members: readonly MemberSpec[], turnsMax: number) {
  const port = Number(c.req.header("host")?.split(":").at(-1) ?? 0);
  return {
    models: modelsOf(members).map(({ id, provider, model, url }) => {
      return { id, provider, model, url, api_key: null, keep_alive: null, tags: [] };
    }),
    server: { port },
    agent: { max_iters: turnsMax, write_safety_mode: "strict", prompt_loop_breaker: null },
    logging: { level: null, directory: null, retention_days: null },
    agents: members.map(({ name, model }) => ({ id: name, spec_path: "", model: model ?? null })),
    routing: { default_models: [], default_policy: null },
  };
}
