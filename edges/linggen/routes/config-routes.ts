/** Models and settings. Some clients say settings, others config: both routes exist. */
import { Json, type MemberSpec } from "../../../src/protocol/index.ts";
import * as z from "zod";
import { answer, readBody, type Route, type RouteContext } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { reads, writes } from "./linggen-route.ts";

const Saved = z.record(z.string().max(256), Json);

export function createConfigRoutes({ defaults, settings, bus }: LinggenDeps): Route[] {
  const usual = (c: RouteContext) => configOf(c, defaults.members, defaults.settings.limits.turns);
  const read = async (c: RouteContext) => answer(200, { ...usual(c), ...(await settings.read()) });
  const write = async (c: RouteContext) => {
    await settings.save(await readBody(c.req, Saved), usual(c));
    // Other clients of this port show models, prompts and theme too.
    bus.sync();
    return answer(200, { status: "ok" });
  };
  return [
    reads("/api/models", async () => answer(200, modelsOf(await settings.members()))),
    reads("/api/config", read),
    writes("POST", "/api/config", write),
    reads("/api/settings", read),
    writes("POST", "/api/settings", write),
  ];
}

function modelsOf(members: readonly MemberSpec[]) {
  const models = members.map(({ kind, model, baseUrl, name }) => ({
    id: model ?? name,
    provider: kind,
    model: model ?? name,
    url: baseUrl ?? "",
  }));
  return models.filter((one, at) => models.findIndex((other) => other.id === one.id) === at);
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
