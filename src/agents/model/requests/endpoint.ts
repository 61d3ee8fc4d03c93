/**
 * Address of a member's model and its key.
 * Only http and https; credentials in the address become a header and are never shown; a key goes only to its own host
 * or to the one the member's configuration names; it appears in no message, and `redact` removes it from others'
 * messages.
 */
import { credentialsOf, type Credentials } from "../../../kit/url-credentials.ts";
import type { MemberSpec } from "../../../protocol/index.ts";
import type { TurnError } from "../../port.ts";

export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** For display: without path beyond the base, without query. */
  readonly shown: string;
  readonly isLocal: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Variable of the key; undefined when none is sent. */
  readonly keyVariable: string | undefined;
  /** The key is sent unencrypted. */
  readonly isKeyInClear: boolean;
  /** Hint for a rejected key. */
  readonly keyHint: string;
  redact(text: string): string;
}

export type EndpointLookup =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly error: TurnError };

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys sent without being named: only to their own host, only over TLS. */
const KEY_BY_HOST: Readonly<Record<string, string>> = {
  "api.openai.com": "OPENAI_API_KEY",
  "openrouter.ai": "OPENROUTER_API_KEY",
  "api.anthropic.com": "ANTHROPIC_API_KEY",
  "generativelanguage.googleapis.com": "GEMINI_API_KEY",
};

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** A shorter "key" is a placeholder; redacting it would garble text. */
const SECRET_CHARS_MIN = 8;
const KEY_LIKE = /key|token|secret|password|credential/i;

export function findEndpoint(spec: MemberSpec, env: Environment, configured?: Credentials): EndpointLookup {
  const url = parseUrl(spec.baseUrl ?? "https://api.openai.com/v1");
  if (url === undefined)
    return refuse(spec, "its baseUrl is not an address.", "Give an http or https address that ends in /v1.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refuse(spec, `its baseUrl begins with ${url.protocol}`, "Give an http or https address that ends in /v1.");
  }
  const login = configured ?? credentialsOf(url.href);
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  const isLocal = LOCAL_HOSTS.has(url.hostname);
  const usual = url.protocol === "https:" && login === undefined ? KEY_BY_HOST[url.hostname] : undefined;
  const variable = [
    ...(spec.env ?? []).filter((name) => KEY_LIKE.test(name)),
    ...(usual === undefined ? [] : [usual]),
  ].find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined && usual !== undefined) {
    return refuse(
      spec,
      `${url.host} needs a key, and ${usual} is not set.`,
      `Set ${usual}, or name another variable in the member's env.`,
    );
  }
  const key = variable === undefined ? "" : (env[variable] ?? "").trim();
  if (!/^[\x21-\x7e]*$/.test(key)) {
    return refuse(
      spec,
      `the key in ${variable ?? ""} contains characters that are not valid in a key.`,
      "Set it to the key only, on one line.",
    );
  }
  return { ok: true, endpoint: makeEndpoint({ member: spec.name, baseUrl, isLocal, key, variable, login }) };
}

/** Whether the name suggests a secret. */
export function isSecretName(name: string): boolean {
  return KEY_LIKE.test(name);
}

/** Variables that the member's shell may see: configured ones without secrets. */
export function shellVariables(spec: MemberSpec): string[] {
  return (spec.env ?? []).filter((name) => !KEY_LIKE.test(name));
}

interface EndpointFacts {
  readonly member: string;
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly key: string;
  readonly variable: string | undefined;
  readonly login: Credentials | undefined;
}

function makeEndpoint({ member, baseUrl, isLocal, key, variable, login }: EndpointFacts): Endpoint {
  const basic = login === undefined ? "" : Buffer.from(`${login.username}:${login.password}`).toString("base64");
  const secrets = [key, basic, login?.password ?? ""].filter((secret) => secret.length >= SECRET_CHARS_MIN);
  return {
    baseUrl,
    shown: baseUrl,
    isLocal,
    headers: basic !== "" ? { authorization: `Basic ${basic}` } : key === "" ? {} : { authorization: `Bearer ${key}` },
    keyVariable: variable,
    isKeyInClear: (key !== "" || basic !== "") && !isLocal && baseUrl.startsWith("http:"),
    keyHint:
      login !== undefined
        ? "The user and password of the member's baseUrl were sent; check them."
        : variable === undefined
          ? `No API key was sent. Name the variable that holds it in agents.${member}.env.`
          : `The key is taken from ${variable}; check that it is right and may use this model.`,
    redact: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "•••"), text),
  };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function refuse(spec: MemberSpec, why: string, hint: string): EndpointLookup {
  const sentence = why.endsWith(".") ? why : `${why}.`;
  return { ok: false, error: { code: "unsupported", message: `${spec.name} cannot start: ${sentence}`, hint } };
}
