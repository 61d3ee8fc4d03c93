/** Files for a first message: `GET /v1/files?query=NAME`. Those of a session are asked for by its `list_files`. */
import * as z from "zod";
import { RoundtableError } from "../../protocol/index.ts";
import { answer } from "../http/answer.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { readPolicy, type ServedHost } from "./policies.ts";
import type { SessionDefaults } from "./session-defaults.ts";

const LIMIT_MAX = 1000;
const LIMIT_USUAL = 50;
const Limit = z.coerce.number().int().min(1).max(LIMIT_MAX);
const Files = z.object({ files: z.array(z.string()) });

export interface FileRouteDeps {
  readonly host: Pick<ServedHost, "listFiles">;
  readonly defaults: Pick<SessionDefaults, "cwd">;
}

export function createFileRoutes({ host, defaults }: FileRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/files",
      policy: readPolicy,
      api: {
        summary: "Names of files in the directory that a new session gets, best first.",
        query: {
          query: { description: "What the names should hold; all when left out.", schema: { type: "string" } },
          limit: {
            description: `How many at most; ${LIMIT_USUAL} when left out.`,
            schema: { type: "integer", minimum: 1, maximum: LIMIT_MAX },
          },
        },
        answer: Files,
      },
      // How long the query may be is the guard's.
      async handle(c) {
        const files = await host.listFiles(defaults.cwd, c.req.query("query") ?? "", limitIn(c));
        return answer(200, { files: [...files] });
      },
    },
  ];
}

function limitIn(c: RouteContext): number {
  const parsed = Limit.safeParse(c.req.query("limit") ?? LIMIT_USUAL);
  if (parsed.success) return parsed.data;
  throw new RoundtableError("bad_command", `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}
