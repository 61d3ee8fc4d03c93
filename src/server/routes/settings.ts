/**
 * Routes for the page's settings: the configuration, folders of this machine, and what could be asked about one. What
 * starts programs, moves keys or weakens the sandbox is only shown; it is changed in the configuration file.
 */
import * as z from "zod";
import { browseFolder, describeFolder } from "../../host/index.ts";
import {
  APPROVAL_RULE,
  Cover,
  MemberName,
  RoundtableError,
  Verdict,
  type MemberSpec,
  type Settings,
} from "../../protocol/index.ts";
import { answer, readBody } from "../http/answer.ts";
import type { Policy, Route, RouteContext } from "../http/policy.ts";
import { readPolicy, writePolicy } from "./policies.ts";
import { Defaults } from "./schemas.ts";

const PATH_CHARS_MAX = 4_096;
const folder = z.string().max(PATH_CHARS_MAX);
const Rule = z.string().max(1_300).regex(APPROVAL_RULE, 'must be a rule: "tool" or "tool: pattern"');

export const ShownConfiguration = z.object({
  cwd: z.string().meta({ description: "The folder it applies to." }),
  file: z.string().meta({ description: "The user's configuration file. It need not exist." }),
  dataDir: z.string(),
  sandbox: z.object({ mode: z.string(), from: z.string() }),
  rules: z
    .array(
      z.object({
        verdict: Verdict,
        rule: z.string(),
        from: z.string(),
        isOwn: z.boolean().meta({ description: "Set in the user's own file, so it can be removed here." }),
      }),
    )
    .meta({ description: "In order of precedence: the first match wins." }),
  grants: z.array(Cover).meta({ description: "What the user allowed permanently in this folder." }),
  fixed: z
    .array(z.object({ key: z.string(), value: z.string(), from: z.string() }))
    .meta({ description: "Keys that can only be changed in their file. Values of variables are left out." }),
});
export type ShownConfiguration = z.infer<typeof ShownConfiguration>;

export const ConfigurationChange = z.discriminatedUnion("change", [
  z.strictObject({
    change: z.literal("model"),
    member: MemberName,
    model: z.string().trim().min(1).max(200).nullable(),
  }),
  z.strictObject({
    change: z.literal("effort"),
    member: MemberName,
    effort: z.string().trim().min(1).max(32).nullable(),
  }),
  z.strictObject({ change: z.literal("add_member"), member: MemberName }),
  z.strictObject({ change: z.literal("remove_member"), member: MemberName }),
  z.strictObject({ change: z.literal("add_rule"), verdict: Verdict, rule: Rule }),
  z.strictObject({ change: z.literal("remove_rule"), verdict: Verdict, rule: Rule }),
  z.strictObject({ change: z.literal("revoke_grant"), cwd: folder, grant: Cover }),
]);
export type ConfigurationChange = z.infer<typeof ConfigurationChange>;

/** The configuration, which the command line reads and writes. */
export interface Configuration {
  /** Defaults of a new session in a folder. */
  defaults(cwd: string): Promise<z.infer<typeof Defaults>>;
  read(cwd: string): Promise<ShownConfiguration>;
  /** Rejects with "bad_command" for what cannot be changed here. */
  change(change: ConfigurationChange): Promise<void>;
}

const managing: Policy = { ...readPolicy, scope: "manage" };
const changing: Policy = { ...writePolicy, scope: "manage", bodyBytesMax: 16 * 1024 };
const inFolder = { cwd: { description: "The folder; by default, that of the server.", schema: { type: "string" } } };
const atPath = { path: { description: "Absolute, or ~ for the home directory.", schema: { type: "string" } } };

const Listing = z.object({
  path: z.string(),
  parent: z.string().optional(),
  folders: z.array(z.object({ name: z.string(), isRepository: z.boolean() })),
  hasMore: z.boolean(),
  others: z.array(z.string()).optional().meta({ description: "Folders of other machines of a team." }),
});
export type FolderListing = Omit<z.infer<typeof Listing>, "folders"> & {
  readonly folders: readonly { readonly name: string; readonly isRepository: boolean }[];
};
const Facts = z.object({
  branch: z.string().optional(),
  suggestions: z.array(
    z.object({
      about: z.enum(["branch", "changes", "todo", "churn", "start", "commit", "risks"]),
      text: z.string(),
      detail: z.string(),
    }),
  ),
});
const Done = z.object({ ok: z.literal(true) });

export interface SettingsRouteDeps {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  /** Absent: nothing can be read for other folders, and nothing changed. */
  readonly configuration?: Configuration | undefined;
  readonly defaultsIn?: Configuration["defaults"] | undefined;
  readonly browse?: ((path: string) => Promise<FolderListing>) | undefined;
  /** True on the server of a team: its own folders are nobody's business. */
  readonly hidesFolders?: boolean;
}

function createBrowse({ hidesFolders }: SettingsRouteDeps): (at: string) => Promise<FolderListing> {
  return async (at) => {
    if (hidesFolders !== true) return await browseFolder(at);
    throw new RoundtableError("unsupported", "Folders are on the machines of the team, not on its server.");
  };
}

export function createSettingsRoutes(deps: SettingsRouteDeps): Route[] {
  const { cwd, settings, members, configuration } = deps;
  const { defaultsIn, browse = createBrowse(deps) } = deps;
  return [
    {
      method: "GET",
      path: "/v1/defaults",
      policy: readPolicy,
      api: { summary: "Default folder, settings and members of a new session.", query: inFolder, answer: Defaults },
      async handle(c) {
        const given = folderIn(c, "cwd");
        if (defaultsIn !== undefined) return answer(200, Defaults.parse(await defaultsIn(given ?? "")));
        if (configuration === undefined && given === undefined) return answer(200, { cwd, settings, members });
        return answer(200, Defaults.parse(await needed(configuration).defaults(given ?? cwd)));
      },
    },
    {
      method: "GET",
      path: "/v1/folders",
      policy: { ...readPolicy, scope: "use" },
      api: { summary: "The folders inside a folder on this machine.", query: atPath, answer: Listing },
      handle: async (c) => answer(200, await browse(folderIn(c, "path") ?? cwd)),
    },
    {
      method: "GET",
      path: "/v1/suggestions",
      policy: readPolicy,
      api: {
        summary: "The branch of a folder and suggested questions about it. Does not use a model.",
        query: inFolder,
        answer: Facts,
      },
      handle: async (c) =>
        answer(200, await describeFolder((await createBrowse(deps)(folderIn(c, "cwd") ?? cwd)).path, deps.members)),
    },
    {
      method: "GET",
      path: "/v1/configuration",
      policy: managing,
      api: { summary: "The configuration that applies to a folder.", query: inFolder, answer: ShownConfiguration },
      handle: async (c) => answer(200, await needed(configuration).read(folderIn(c, "cwd") ?? cwd)),
    },
    {
      method: "POST",
      path: "/v1/configuration",
      policy: changing,
      api: {
        summary:
          "Changes who joins new sessions, a member's model or effort, an approval rule or a grant. Commands, addresses, variables, tool servers and the sandbox can only be changed in the file.",
        body: ConfigurationChange,
        answer: Done,
      },
      async handle(c) {
        await needed(configuration).change(await readBody(c.req, ConfigurationChange));
        return answer(200, { ok: true });
      },
    },
  ];
}

function folderIn(c: RouteContext, name: "cwd" | "path"): string | undefined {
  const given = c.req.query(name);
  if (given === undefined || folder.safeParse(given).success) return given;
  throw new RoundtableError("bad_command", `${name} must have at most ${PATH_CHARS_MAX} characters.`);
}

function needed(configuration: Configuration | undefined): Configuration {
  if (configuration !== undefined) return configuration;
  throw new RoundtableError("unsupported", "This server has no configuration of its own.");
}
