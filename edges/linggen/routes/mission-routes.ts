/** Missions of a project and the standing prompts of its agents. */
import * as z from "zod";
import type { IdleMember, Mission } from "../../../src/host/index.ts";
import * as linggen from "../format/linggen.ts";
import { answer, readBody, type Route } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { queryOf, reads, Text, writes } from "./linggen-route.ts";

const AGENTS_MAX = 64;

const Prompt = { idle_prompt: z.string().nullish(), idle_interval_secs: z.number().nullish() };
const SetMission = z.object({
  project_root: Text,
  text: z.string(),
  agents: z
    .array(z.object({ id: Text, ...Prompt }))
    .max(AGENTS_MAX)
    .nullish(),
});
const ClearMission = z.object({ project_root: Text });
const SetOverride = z.object({ project_root: Text, agent_id: Text, ...Prompt });

export function createMissionRoutes({ host, reading, bus }: LinggenDeps): Route[] {
  return [
    reads("/api/mission", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const active = (await host.openIdlePrompts()).missions(root).find((mission) => mission.isActive);
      return answer(200, active === undefined ? { active: false } : missionOf(active));
    }),
    reads("/api/missions", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const missions = (await host.openIdlePrompts()).missions(root).toReversed();
      return answer(200, { missions: missions.map(missionOf) });
    }),
    writes("POST", "/api/mission", async (c) => {
      const { project_root, text, agents } = await readBody(c.req, SetMission);
      const members = (agents ?? []).map((agent) => memberOf(agent.id, agent));
      await (await host.openIdlePrompts()).setMission(await reading.directory(project_root), { text, members });
      bus.sync();
      return answer(200, { ok: true });
    }),
    writes("DELETE", "/api/mission", async (c) => {
      const { project_root } = await readBody(c.req, ClearMission);
      await (await host.openIdlePrompts()).clearMission(await reading.directory(project_root));
      bus.sync();
      return answer(200, { ok: true });
    }),
    reads("/api/agent-override", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const agent = queryOf(c, "agent_id");
      const existing = (await host.openIdlePrompts()).override(root, agent);
      const { id: agent_id, ...rest } = agentOf(existing ?? { name: agent, prompt: null, intervalSecs: null });
      return answer(200, { agent_id, ...rest });
    }),
    writes("POST", "/api/agent-override", async (c) => {
      const { project_root, agent_id, ...prompt } = await readBody(c.req, SetOverride);
      const root = await reading.directory(project_root);
      await (await host.openIdlePrompts()).setOverride(root, memberOf(agent_id, prompt));
      return answer(200, { ok: true });
    }),
  ];
}

type GivenPrompt = { idle_prompt?: string | null | undefined; idle_interval_secs?: number | null | undefined };

function memberOf(name: string, { idle_prompt, idle_interval_secs }: GivenPrompt): IdleMember {
  return { name, prompt: idle_prompt ?? null, intervalSecs: idle_interval_secs ?? null };
}

function agentOf({ name, prompt, intervalSecs }: IdleMember) {
  return { id: name, idle_prompt: prompt, idle_interval_secs: intervalSecs };
}

function missionOf({ text, createdTs, isActive, members }: Mission) {
  return { text, created_at: linggen.toSeconds(createdTs), active: isActive, agents: members.map(agentOf) };
}
