/** Deleting a session and bringing it back. Emptying the trash is done by hand at the machine, never over a wire. */
import * as z from "zod";
import { TrashedSession } from "../../protocol/index.ts";
import { answer, readBody } from "../http/answer.ts";
import type { Route } from "../http/policy.ts";
import { pathParam, readPolicy, writePolicy, type ServedHost } from "./policies.ts";

const Ok = z.object({ ok: z.literal(true) });
const Nothing = z.strictObject({});

export function createTrashRoutes({ host }: { readonly host: ServedHost }): Route[] {
  return [
    {
      method: "DELETE",
      path: "/v1/sessions/:id",
      policy: readPolicy,
      api: { summary: "Moves the session to the trash; refused while a turn runs in it.", answer: Ok },
      async handle(c) {
        await host.maintenance.delete(pathParam(c, "id"));
        return answer(200, { ok: true });
      },
    },
    {
      method: "GET",
      path: "/v1/trash",
      policy: readPolicy,
      api: {
        summary: "Deleted sessions that can be brought back, the latest deleted first.",
        answer: z.array(TrashedSession),
      },
      handle: async () => answer(200, await host.maintenance.trash()),
    },
    {
      method: "POST",
      path: "/v1/trash/:id/restore",
      policy: writePolicy,
      api: { summary: "Brings a deleted session back as it was.", body: Nothing, answer: Ok },
      async handle(c) {
        await readBody(c.req, Nothing);
        await host.maintenance.restore(pathParam(c, "id"));
        return answer(200, { ok: true });
      },
    },
  ];
}
