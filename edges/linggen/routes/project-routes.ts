/** Projects and what is in them: agents, files, skills. */
import { realpath, stat } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import * as z from "zod";
import { RoundtableError } from "../../../src/protocol/index.ts";
import * as linggen from "../format/linggen.ts";
import { answer, readBody, type Route } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { queryOf, reads, readsOrEmpty, Text, writes } from "./linggen-route.ts";
import { findSkills, listProjectFiles } from "./project-files.ts";

const AGENTS_MAX = 64;
const PROJECTS_MAX = 1_000;

const Project = z.object({ path: Text });

export function createProjectRoutes(deps: LinggenDeps): Route[] {
  const { reading, store, clock, bus, defaults } = deps;
  return [
    reads("/api/projects", async () => {
      const directories = await reading.directories();
      const projects = directories.map(({ path, addedTs }) => ({
        path,
        name: basename(path),
        added_at: linggen.toSeconds(addedTs),
      }));
      return answer(200, projects);
    }),
    writes("POST", "/api/projects", async (c) => {
      const { path } = await readBody(c.req, Project);
      if (!(await isKnown(deps, path))) {
        const directory = await directoryAt(path);
        await store.change((stored) => {
          if (stored.projects.length >= PROJECTS_MAX) throw tooMany();
          if (!stored.projects.some((one) => one.path === directory))
            stored.projects.push({ path: directory, addedTs: clock.now() });
        });
        bus.sync();
      }
      return answer(200, { ok: true });
    }),
    writes("DELETE", "/api/projects", async (c) => {
      const { path } = await readBody(c.req, Project);
      const directory = await reading.directory(path);
      await store.change((stored) => {
        stored.projects = stored.projects.filter((one) => one.path !== directory);
      });
      bus.sync();
      if (!(await isKnown(deps, directory))) return answer(200, { ok: true });
      throw new RoundtableError(
        "conflict",
        "The project cannot be removed: it has sessions, or the server was started in it.",
      );
    }),
    readsOrEmpty("/api/agents", [], async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      return answer(200, await agentsOf(deps, root));
    }),
    readsOrEmpty("/api/skills", [], async (c) => {
      const root = c.req.query("project_root");
      return answer(200, await findSkills(root === undefined ? defaults.cwd : await reading.directory(root)));
    }),
    readsOrEmpty("/api/files", [], async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      return answer(200, await listProjectFiles(root, c.req.query("path") ?? ""));
    }),
    reads("/api/health", () => answer(200, { ok: true })),
  ];
}

async function isKnown({ reading }: LinggenDeps, path: string): Promise<boolean> {
  return reading.directory(path).then(
    () => true,
    () => false,
  );
}

/** Real path. Sessions there get this server's members and settings, never those in the directory. */
async function directoryAt(path: string): Promise<string> {
  if (!isAbsolute(path) || path.includes("\0")) throw noDirectory();
  const whole = await realpath(path).catch(() => undefined);
  const isDirectory = whole !== undefined && (await stat(whole)).isDirectory();
  if (!isDirectory) throw noDirectory();
  return whole;
}

async function agentsOf({ host, reading, settings }: LinggenDeps, root: string): Promise<object[]> {
  const prompts = await host.openIdlePrompts();
  const members = await settings.members();
  // Members of the project's sessions, which can be addressed from this list.
  const memberNames = (await reading.sessions(root)).flatMap((one) => one.members);
  const names = new Set([...members.map((one) => one.name), ...memberNames]);
  return [...names].slice(0, AGENTS_MAX).map((name) => {
    const spec = members.find((one) => one.name === name);
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
}

function noDirectory(): RoundtableError {
  return new RoundtableError("bad_command", "path must be the absolute path of an existing directory.");
}

function tooMany(): RoundtableError {
  return new RoundtableError("too_large", `At most ${PROJECTS_MAX} projects can be added.`);
}
