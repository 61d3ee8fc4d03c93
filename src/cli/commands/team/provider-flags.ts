/** The provider of sign-ins of a team, from the options of `serve` and the environment. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { usageFailure } from "../../../kit/failure.ts";
import type { ProviderSettings } from "../../../team/index.ts";

export interface ProviderFlags {
  oidcIssuer?: string;
  oidcClient?: string;
  oidcSecretFile?: string;
  oidcName?: string;
  oidcAllow?: string[];
}

const ISSUER = "ROUNDTABLE_OIDC_ISSUER";
const CLIENT = "ROUNDTABLE_OIDC_CLIENT";
const SECRET = "ROUNDTABLE_OIDC_SECRET";
const ALLOW = "ROUNDTABLE_OIDC_ALLOW";

export function addProviderOptions(command: Command): void {
  command
    .option("--oidc-issuer <url>", `with --team: sign in with this OpenID Connect provider (default: $${ISSUER})`)
    .option("--oidc-client <id>", `client id of this server at the provider (default: $${CLIENT})`)
    .option(
      "--oidc-secret-file <file>",
      `file with the client's secret (default: $${SECRET}; none for a public client)`,
    )
    .option("--oidc-name <name>", "provider name on the sign-in button (default: the host of its address)")
    .option(
      "--oidc-allow <who...>",
      `let these people join without an invitation: a domain of verified e-mail addresses, or CLAIM=VALUE (default: $${ALLOW})`,
    );
}

/** Undefined when no provider is named. */
export function readProvider(flags: ProviderFlags, env: NodeJS.ProcessEnv): ProviderSettings | undefined {
  const issuer = flags.oidcIssuer ?? env[ISSUER];
  if (issuer === undefined || issuer === "") return undefined;
  const url = URL.parse(issuer);
  if (url?.protocol !== "https:") throw usageFailure(`--oidc-issuer ${issuer} is not an https:// address`);
  const clientId = flags.oidcClient ?? env[CLIENT] ?? "";
  if (clientId === "") throw usageFailure("--oidc-issuer needs --oidc-client", "Register this server at the provider");
  const clientSecret = flags.oidcSecretFile === undefined ? env[SECRET] : readSecret(flags.oidcSecretFile);
  const allow = flags.oidcAllow ?? (env[ALLOW] ?? "").split(/[\s,]+/).filter((one) => one !== "");
  return {
    issuer,
    clientId,
    ...(clientSecret === undefined || clientSecret === "" ? {} : { clientSecret }),
    name: flags.oidcName ?? url.hostname,
    admissions: allow.map(admissionOf),
  };
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw usageFailure(`--oidc-secret-file ${file} cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}

function admissionOf(text: string): ProviderSettings["admissions"][number] {
  const [, claim, value] = /^([^=@\s]+)=(.+)$/.exec(text) ?? [];
  if (claim !== undefined && value !== undefined) return { claim, value };
  const domain = text.replace(/^@/, "");
  if (/^[\w-]+(?:\.[\w-]+)+$/.test(domain)) return { domain };
  throw usageFailure(
    `--oidc-allow ${text} is neither a domain nor CLAIM=VALUE`,
    "Write example.org or groups=engineering",
  );
}
