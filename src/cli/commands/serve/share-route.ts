/** The route behind `/share` and `/unshare` of the page: one session of this machine for its team, or no longer. */
import * as z from "zod";
import type { Host } from "../../../host/index.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import { answer, pathParam, readBody, type Route } from "../../../server/index.ts";

const Sharing = z.strictObject({ isShared: z.boolean() });
const Shared = z.object({ message: z.string().meta({ description: "What this means, in one sentence." }) });

export function createShareRoute(host: Pick<Host, "listSessions">, dataDir: string): Route {
  return {
    method: "POST",
    path: "/v1/sessions/:id/share",
    policy: { access: "token", scope: "manage", carrier: "http", bodyBytesMax: 1_024, isLandingPage: false },
    api: {
      summary: "Shares a session with the team that this machine has joined, or deletes its copy there.",
      body: Sharing,
      answer: Shared,
    },
    async handle(c) {
      const { isShared } = await readBody(c.req, Sharing);
      const wanted = pathParam(c, "id");
      const sessions = await host.listSessions();
      if (!sessions.some(({ sessionId }) => sessionId === wanted))
        throw new RoundtableError("unknown_session", `There is no session ${wanted}.`);
      const { chooseShare, whatSharingDoes } = await import("../../../team/index.ts");
      await chooseShare(dataDir, wanted, isShared);
      return answer(200, { message: whatSharingDoes(dataDir, isShared) });
    },
  };
}
