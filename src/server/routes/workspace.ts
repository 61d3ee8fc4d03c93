/** Routes about the folder of a session, for reading only: changes, files, and what members did with them. */
import * as z from "zod";
import type { ChangeScope } from "../../host/index.ts";
import {
  FilePatch,
  FileTree,
  NamedFiles,
  RoundtableError,
  TouchedFiles,
  WorkspaceChanges,
  WorkspaceFile,
  type ApiParameter,
} from "../../protocol/index.ts";
import { answer } from "../http/answer.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { pathParam, readPolicy, type ServedHost } from "./policies.ts";

const Against = z.enum(["start", "head"]);
const TurnId = z.string().min(1).max(128);
const text = { type: "string" };
const NAMED_MAX = 40;

const scope: Readonly<Record<string, ApiParameter>> = {
  against: {
    description:
      "Compare the working tree with the last commit (head) or with the commit at the start of the session (start, the default).",
    schema: { type: "string", enum: Against.options },
  },
  turn: { description: "Show the changes that this turn reported instead.", schema: text },
};

export function createWorkspaceRoutes({ host }: { readonly host: ServedHost }): Route[] {
  return [...changeRoutes(host), ...fileRoutes(host)];
}

function changeRoutes(host: ServedHost): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/changes",
      policy: readPolicy,
      api: { summary: "Changed files in the folder of the session.", query: scope, answer: WorkspaceChanges },
      handle: async (c) => answer(200, await host.readChanges(pathParam(c, "id"), scopeOf(c))),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/patch",
      policy: readPolicy,
      api: {
        summary: "Changes to one file as a unified diff of at most 1 MiB.",
        query: {
          ...scope,
          path: { description: "The file, as in the list of changes.", schema: text, isRequired: true },
          oldPath: { description: "Its former path, if it was renamed.", schema: text },
        },
        answer: FilePatch,
      },
      async handle(c) {
        const oldPath = c.req.query("oldPath");
        const file = { path: requiredPath(c), ...(oldPath === undefined ? {} : { oldPath }) };
        return answer(200, await host.readPatch(pathParam(c, "id"), scopeOf(c), file));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/touched",
      policy: readPolicy,
      api: { summary: "Files that members read or edited, and the turns that changed files.", answer: TouchedFiles },
      handle: async (c) => answer(200, await host.readTouched(pathParam(c, "id"))),
    },
  ];
}

function fileRoutes(host: ServedHost): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/tree",
      policy: readPolicy,
      api: {
        summary: "One directory in the folder of the session, without files that git ignores.",
        query: { directory: { description: "Relative to the folder; the folder itself by default.", schema: text } },
        answer: FileTree,
      },
      handle: async (c) => answer(200, await host.readTree(pathParam(c, "id"), c.req.query("directory") ?? "")),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/file",
      policy: readPolicy,
      api: {
        summary: "A text file of at most 1 MiB in the folder of the session.",
        query: {
          path: { description: "Relative to the folder, or absolute inside it.", schema: text, isRequired: true },
        },
        answer: WorkspaceFile,
      },
      handle: async (c) => answer(200, await host.readFile(pathParam(c, "id"), requiredPath(c))),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/named",
      policy: readPolicy,
      api: {
        summary: `Which of up to ${NAMED_MAX} paths name a file in the folder of the session.`,
        query: {
          path: {
            description: "A path, or the end of one; may be repeated.",
            schema: { type: "array", items: text, maxItems: NAMED_MAX },
            isRequired: true,
          },
        },
        answer: NamedFiles,
      },
      async handle(c) {
        requiredPath(c);
        return answer(200, await host.findNamed(pathParam(c, "id"), (c.req.queries("path") ?? []).slice(0, NAMED_MAX)));
      },
    },
  ];
}

function requiredPath(c: RouteContext): string {
  const path = c.req.query("path") ?? "";
  if (path !== "") return path;
  throw new RoundtableError("bad_command", "path is required.");
}

function scopeOf(c: RouteContext): ChangeScope {
  const turn = c.req.query("turn");
  if (turn !== undefined) {
    const parsed = TurnId.safeParse(turn);
    if (parsed.success) return { turnId: parsed.data };
    throw new RoundtableError("bad_command", "turn must be the id of a turn.");
  }
  const against = Against.safeParse(c.req.query("against") ?? "start");
  if (against.success) return { against: against.data };
  throw new RoundtableError("bad_command", `against must be one of ${Against.options.join(", ")}.`);
}
