/** Lists, creates, renames and archives sessions of a project. */
import * as z from "zod";
import { newId } from "../../../src/kit/ids.ts";
import { RoundtableError } from "../../../src/protocol/index.ts";
import * as linggen from "../format/linggen.ts";
import { answer, readBody, runCommand, type Route } from "../../../src/server/index.ts";
import { createSession, removeSession } from "./chat-routes.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { queryOf, readsOrEmpty, Text, writes } from "./linggen-route.ts";
import { CLIENT_ID } from "./session-reading.ts";

const NewSession = z.object({ project_root: Text, title: z.string().max(200).nullish() });
const Rename = z.object({ project_root: Text, session_id: Text, title: z.string().min(1).max(200) });
const Remove = z.object({ project_root: Text, session_id: Text });

export function createSessionRoutes(deps: LinggenDeps): Route[] {
  const { reading } = deps;
  const named = async (sessionId: string, projectRoot: string) => {
    const match = await reading.named(sessionId, projectRoot);
    if (match === undefined) throw new RoundtableError("unknown_session", "Unknown session_id");
    return match;
  };
  return [
    readsOrEmpty("/api/sessions", [], async (c) => {
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
      const id = await createSession(deps, await reading.directory(project_root), title ?? "");
      deps.bus.sync();
      return answer(200, { id });
    }),
    writes("PATCH", "/api/sessions", async (c) => {
      const { project_root, session_id, title } = await readBody(c.req, Rename);
      const sessionId = await named(session_id, project_root);
      await runCommand(deps, CLIENT_ID, sessionId, { type: "rename", commandId: newId(), title });
      return answer(200, { ok: true });
    }),
    writes("DELETE", "/api/sessions", async (c) => {
      const { project_root, session_id } = await readBody(c.req, Remove);
      await removeSession(deps, await named(session_id, project_root));
      return answer(200, { ok: true });
    }),
  ];
}
