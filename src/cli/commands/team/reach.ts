/** Where a server listens that other machines reach, from the options of `serve`. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import type { Command } from "commander";
import { exitCodes } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import type { ServerAddress } from "../../../server/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { note } from "../../terminal/stdout.ts";
import { addProviderOptions, type ProviderFlags } from "./provider-flags.ts";

export interface ReachFlags {
  listen?: string;
  tlsCert?: string;
  tlsKey?: string;
  trustProxy?: string[];
  url?: string;
}

export interface TeamFlags extends CommonFlags, ReachFlags, ProviderFlags {
  team?: boolean;
  database?: string;
  blobs?: string;
  probes?: string;
  linkFor?: string;
}

/** What `serve` takes for one person only. */
interface OwnFlags {
  port?: number;
  host?: string;
  compat?: unknown;
}

export const DATABASE_VARIABLE = "ROUNDTABLE_DATABASE";

export function addReachOptions(command: Command): void {
  command
    .option(
      "--listen <address>",
      "also accept other machines at this address with TLS, such as 0.0.0.0:8443 (with --team, default: 127.0.0.1:8443)",
    )
    .option("--tls-cert <file>", "with --listen: certificate with its chain, PEM")
    .option("--tls-key <file>", "with --listen: its private key, PEM")
    .option(
      "--trust-proxy <cidr...>",
      "with --listen, instead of TLS: accept only connections from the network of a proxy that terminates TLS",
    )
    .option(
      "--url <address>",
      "with --listen: public address, such as https://team.example.org (default: from the certificate)",
    )
    .option("--team", "run a node of a team's server on PostgreSQL")
    .option("--database <url>", `with --team: postgres://… (default: $${DATABASE_VARIABLE})`)
    .option("--blobs <dir>", "with --team: directory for files above 1 MiB, shared by all nodes")
    .option("--link-for <person>", "with --team: also print a link that signs in a device of this person")
    .option(
      "--probes <address>",
      "with --team: answer /healthz, /readyz and /metrics over plain HTTP at this address, such as 127.0.0.1:9464",
    );
  addProviderOptions(command);
}

/** Throws for options that only a team's server has. */
export function refuseTeamOptions(flags: TeamFlags): void {
  const { database, blobs, probes, linkFor, oidcIssuer, oidcClient, oidcSecretFile, oidcName, oidcAllow } = flags;
  const ofProvider = { oidcIssuer, oidcClient, oidcSecretFile, oidcName, oidcAllow };
  const ofTeam = nameOfFirst({ database, blobs, probes, linkFor, ...ofProvider });
  if (ofTeam !== undefined) throw usageFailure(`${ofTeam} needs --team`, "Add --team");
  const { listen, tlsCert, tlsKey, trustProxy, url } = flags;
  const outward = nameOfFirst({ tlsCert, tlsKey, trustProxy, url });
  if (listen === undefined && outward !== undefined)
    throw usageFailure(`${outward} needs --listen`, "Add --listen with the address for other machines");
}

/** Throws for options that only the server of one person has. */
export function refuseOwnOptions({ port, host, compat }: OwnFlags): void {
  if (port !== undefined) throw usageFailure("--port does not apply with --team", "Give the port in --listen");
  const own = nameOfFirst({ host, compat });
  if (own !== undefined) throw usageFailure(`${own} does not apply with --team`, `Remove ${own}`);
}

/** The option of the first value that was given. */
function nameOfFirst(flags: Readonly<Record<string, unknown>>): string | undefined {
  const [name] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  return name && `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Rejects options that would send tokens over a network in plain text. */
export function readReach(flags: ReachFlags): ServerAddress & { readonly port: number } {
  const { address, port } = parseAddress("--listen", flags.listen ?? "127.0.0.1:8443");
  const isHere = address === "127.0.0.1" || address === "::1";
  const tls = readTls(flags);
  const proxies = flags.trustProxy;
  if (tls === undefined && proxies === undefined && !isHere) {
    throw usageFailure(
      `--listen ${address}:${port} can be reached from other machines, so it needs TLS`,
      "Give --tls-cert and --tls-key, or --trust-proxy with the network of a proxy that has them",
    );
  }
  const origin = originOf(flags, tls?.cert, port);
  if (proxies === undefined) return { address, port, origin, ...(tls === undefined ? {} : { tls }) };
  if (flags.url === undefined)
    throw usageFailure("--trust-proxy needs --url", "Give the https:// address that people type");
  return { address, port, origin, admits: admitsOnly(proxies), ...(tls === undefined ? {} : { tls }) };
}

export function parseAddress(option: string, text: string): { address: string; port: number } {
  const [, bracketed, plain, port = ""] = /^(?:\[([\da-fA-F:]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? "";
  if (isIP(address) === 0 || Number(port) > 65_535 || Number(port) === 0)
    throw usageFailure(`${option} ${text} is not an address with a port`, "Write 0.0.0.0:8443 or [::]:8443");
  return { address, port: Number(port) };
}

function readTls({ tlsCert, tlsKey }: ReachFlags): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw usageFailure("--tls-cert and --tls-key must be given together");
  const cert = readPem(tlsCert);
  const key = readPem(tlsKey);
  const { validToDate } = checkPair({ cert, key }, { tlsCert, tlsKey });
  if (validToDate.getTime() < Date.now())
    note(
      noteLine(
        `the certificate ${tlsCert} expired on ${validToDate.toISOString().slice(0, 10)}, so clients will refuse it. Renew it and restart the server`,
      ),
    );
  return { cert, key };
}

/** TLS itself names the mistake by a number. */
function checkPair(
  { cert, key }: { cert: string; key: string },
  files: { tlsCert: string; tlsKey: string },
): X509Certificate {
  const read = <Value>(file: string, what: string, work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      throw new Failure(exitCodes.failure, "no_file", `${file} is not ${what}`, { cause: error });
    }
  };
  const certificate = read(files.tlsCert, "a certificate in PEM format", () => new X509Certificate(cert));
  const privateKey = read(files.tlsKey, "a private key in PEM format without a passphrase", () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Failure(
      exitCodes.failure,
      "no_file",
      `${files.tlsKey} is not the key of the certificate ${files.tlsCert}`,
    );
  return certificate;
}

function readPem(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(exitCodes.failure, "no_file", `cannot read ${file}: ${reason}`, { cause: error });
  }
}

function originOf({ url }: ReachFlags, cert: string | undefined, port: number): string {
  if (url !== undefined) {
    const parsed = URL.parse(url);
    if (parsed?.protocol === "https:" && parsed.pathname === "/") return parsed.origin;
    throw usageFailure(`--url ${url} is not an https:// address without a path`);
  }
  if (cert === undefined) return `http://127.0.0.1:${port}`;
  const names = new X509Certificate(cert).subjectAltName ?? "";
  const name = /DNS:([\w.-]+)/.exec(names)?.[1] ?? /IP Address:([\d.]+)/.exec(names)?.[1];
  if (name === undefined)
    throw usageFailure("the certificate names no address", "Give the https:// address that people type with --url");
  return new URL(`https://${name}:${port}`).origin;
}

function admitsOnly(networks: readonly string[]): (remoteAddress: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [, address = "", prefix = ""] = /^([\da-fA-F.:]+)\/(\d{1,3})$/.exec(network) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128))
      throw usageFailure(`--trust-proxy ${network} is not a network`, "Write 10.0.0.0/8 or 127.0.0.1/32");
    list.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
  }
  return (remoteAddress) => {
    const plain = remoteAddress.replace(/^::ffff:/, "");
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6");
  };
}
