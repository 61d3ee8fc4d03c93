/** `devices`: lists the browsers that are signed in to the page, and revokes them. Works with and without a server. */
import path from "node:path";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { Failure, usageFailure } from "../../kit/failure.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { createDeviceStore, DEVICES_FILE, findServer, type Device, type ReachableServer } from "../../server/index.ts";
import { existingDataDirectory } from "../config/data-directory.ts";
import { dataDirectory } from "../config/paths.ts";
import type { CommonFlags } from "../flags.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { addCommonOptions } from "./options.ts";
import { addPairingOptions, codeRequest, showLink, type PairingFlags } from "./pairing.ts";

interface DevicesFlags extends CommonFlags {
  json?: boolean;
}

type RevokeFlags = CommonFlags & { all?: boolean };

type AddFlags = CommonFlags & PairingFlags;

type ListedDevice = Omit<Device, "key">;

interface Devices {
  list(): Promise<readonly ListedDevice[]>;
  revoke(id: string): Promise<boolean>;
}

export const declareDevices: DeclareCommand = (command, run) => {
  command.option("--json", "one JSON array");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable devices", 'roundtable devices revoke "Firefox on Linux"']));
  command.action(async (flags: DevicesFlags) => run(flags, listDevices));
  const add = command.command("add").description("show a link, a QR code and a code for another of your devices");
  addPairingOptions(add);
  addCommonOptions(add);
  add.addHelpText("after", examples(["roundtable devices add", "roundtable devices add --read-only --days 30"]));
  add.action(async (flags: AddFlags) => run(flags, addDevice));
  const revoke = command
    .command("revoke")
    .description("sign browsers out for good")
    .argument("[devices...]", "ids or names")
    .option("--all", "every browser");
  addCommonOptions(revoke);
  revoke.addHelpText(
    "after",
    examples(['roundtable devices revoke "Firefox on Linux"', "roundtable devices revoke --all"]),
  );
  revoke.action(async (given: string[], flags: RevokeFlags) =>
    run(flags, async (all) => await revokeDevices(given, all)),
  );
};

async function listDevices(flags: DevicesFlags): Promise<ExitCode> {
  const all = (await (await findDevices(flags)).list()).toSorted((one, other) => other.usedTs - one.usedTs);
  if (flags.json === true) {
    const shown = all.map(({ id, name, origin, createdTs, usedTs, scope = "manage", expiresTs }) => ({
      id,
      name,
      origin,
      createdTs,
      usedTs,
      scope,
      ...(expiresTs === undefined ? {} : { expiresTs }),
    }));
    stdout.write(`${JSON.stringify(shown)}\n`);
  } else if (all.length === 0) {
    stdout.write("No browser is signed in. To sign one in: roundtable web\n");
  } else {
    for (const device of all) stdout.write(`${deviceLine(device)}\n`);
  }
  return exitCodes.ok;
}

async function addDevice(flags: AddFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const server = existingDataDirectory(dataDir) === undefined ? undefined : await findServer(dataDir);
  const ask = async <Answer>(at: string, body?: object): Promise<Answer> => await askServer(server, at, body);
  const { url } = await ask<{ url?: string }>("/v1/sign-in");
  if (url === undefined) {
    throw new Failure(
      exitCodes.failure,
      "unreachable",
      `the server at ${server?.url} accepts connections from this machine only`,
      {
        hint: "Stop it and start it with roundtable serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem",
      },
    );
  }
  const limits = codeRequest(flags);
  const { code } = await ask<{ code: string }>("/v1/codes", limits);
  const typed = await ask<{ code: string }>("/v1/codes", { ...limits, typed: true });
  stdout.write(await showLink(`${url}/#code=${code}`));
  note(`Open the link on the device, or type ${typed.code} at ${url}, within a minute.\n`);
  return exitCodes.ok;
}

async function askServer<Answer>(server: ReachableServer | undefined, at: string, body?: object): Promise<Answer> {
  if (server === undefined) {
    throw new Failure(exitCodes.failure, "closed", "no server is running", { hint: "Start one with roundtable serve" });
  }
  const answer = await fetch(`${server.url}${at}`, {
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  if (answer.ok) return (await answer.json()) as Answer;
  throw new Failure(exitCodes.failure, "refused", `the server at ${server.url} answered ${answer.status}`);
}

async function revokeDevices(given: readonly string[], flags: DevicesFlags & { all?: boolean }): Promise<ExitCode> {
  const devices = await findDevices(flags);
  const known = await devices.list();
  if (flags.all !== true && given.length === 0)
    throw usageFailure("which device? Give its id or name, or --all", "List them: roundtable devices");
  const chosen = flags.all === true ? known : given.flatMap((text) => matching(known, text));
  for (const { id, name } of chosen) {
    await devices.revoke(id);
    stdout.write(`Revoked ${terminalSafeLine(name)} (${id}).\n`);
  }
  return exitCodes.ok;
}

function matching(known: readonly ListedDevice[], given: string): readonly ListedDevice[] {
  const wanted = given.toLowerCase();
  const found = known.filter(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted);
  if (found.length > 0) return found;
  throw new Failure(exitCodes.failure, "unknown_device", `no device is called "${terminalSafeLine(given)}"`, {
    hint: "List them: roundtable devices",
  });
}

function deviceLine({ id, name, origin, createdTs, usedTs, scope, expiresTs }: ListedDevice): string {
  const day = (ts: number) => new Date(ts).toISOString().slice(0, 16).replace("T", " ");
  const limits = [
    ...(scope === "read" ? ["read-only"] : []),
    ...(expiresTs === undefined ? [] : [`until ${day(expiresTs)} UTC`]),
  ];
  const times = [`since ${day(createdTs)}`, `last used ${day(usedTs)} UTC`];
  return [id, terminalSafeLine(name), origin, ...times, ...limits].join("  ");
}

/** Of the running server, so that its connections end too; else of the file. */
async function findDevices(flags: CommonFlags): Promise<Devices> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const server = existingDataDirectory(dataDir) === undefined ? undefined : await findServer(dataDir);
  if (server === undefined) {
    const store = createDeviceStore(path.join(dataDir, DEVICES_FILE));
    return { list: () => store.list(), revoke: (id) => store.remove(id) };
  }
  const ask = async (method: "GET" | "DELETE", id?: string) =>
    await fetch(`${server.url}/v1/devices${id === undefined ? "" : `/${id}`}`, {
      method,
      headers: { authorization: `Bearer ${server.token}` },
    });
  return {
    list: async () => (await (await ask("GET")).json()) as ListedDevice[],
    revoke: async (id) => (await ask("DELETE", id)).ok,
  };
}
