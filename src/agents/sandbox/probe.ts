/**
 * Tests whether this system has a sandbox, by starting one with the flags that are used later. Probed once per program;
 * the reason for a failure is stored for people.
 */
import { execFile } from "node:child_process";
import { findProgram } from "../process/launch/find-program.ts";
import { AccessMap } from "./access-map.ts";
import { bwrapArguments, type BwrapAbilities } from "./bwrap.ts";
import { SANDBOX_EXEC } from "./seatbelt.ts";
import { setSystemPaths } from "./system-paths.ts";
import { readText } from "./read-existing.ts";

export type Probed =
  | { readonly available: true; readonly via: "bwrap"; readonly bwrap: BwrapAbilities }
  | { readonly available: true; readonly via: "sandbox-exec" }
  | { readonly available: false; readonly reason: string; readonly install?: string };

export interface ProbeOptions {
  readonly PATH?: string | undefined;
  /** bwrap is not resolved from the checkout of this directory. */
  readonly cwd?: string | undefined;
  readonly platform?: NodeJS.Platform;
}

const PROBE_MS = 2_000;
const LATE = `it did not answer within ${PROBE_MS / 1000} s`;

const probes = new Map<string, Promise<Probed>>();

export async function probeSandbox(options: ProbeOptions = { PATH: process.env["PATH"] }): Promise<Probed> {
  const platform = options.platform ?? process.platform;
  if (platform === "darwin") return probeMac();
  if (platform !== "linux") return { available: false, reason: "Roundtable has no sandbox for this system." };
  const program = findProgram("bwrap", { PATH: options.PATH, cwd: options.cwd });
  if (!program.ok) return { available: false, reason: "bwrap (bubblewrap) is not installed.", ...installation() };
  const known = probes.get(program.path);
  if (known !== undefined) return known;
  const probe = probeBwrap(program.path);
  probes.set(program.path, probe);
  const probed = await probe;
  // A timeout on an overloaded machine is not final.
  if (!probed.available && probed.reason.includes(LATE)) probes.delete(program.path);
  return probed;
}

function probeMac(): Probed {
  if (findProgram(SANDBOX_EXEC).ok) return { available: true, via: "sandbox-exec" };
  return { available: false, reason: `${SANDBOX_EXEC} is missing.` };
}

/** Best working set of flags: some containers forbid a new /proc, older versions do not know every flag. */
async function probeBwrap(program: string): Promise<Probed> {
  let [canDisableUserns, canMountProc] = [true, true];
  for (;;) {
    const bwrap: BwrapAbilities = { program, canDisableUserns, canMountProc };
    const failure = await tryBwrap(bwrap);
    if (failure === undefined) return { available: true, via: "bwrap", bwrap };
    if (canDisableUserns && failure.includes("disable-userns")) canDisableUserns = false;
    else if (canMountProc && /mount proc/i.test(failure)) canMountProc = false;
    else return { available: false, reason: reasonOf(failure), ...adviceOf(failure) };
  }
}

/** Undefined when it worked, otherwise its output. */
function tryBwrap(abilities: BwrapAbilities): Promise<string | undefined> {
  const access = new AccessMap();
  setSystemPaths(access, { temporary: "/tmp", env: {} });
  const { args } = bwrapArguments({ abilities, mounts: access.mounts(), cwd: "/", isRoot: isRoot() });
  const tried = [...args, "--", abilities.program, "--version"];
  return new Promise((resolve) => {
    const options = {
      timeout: PROBE_MS,
      killSignal: "SIGKILL" as const,
      env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
    };
    execFile(abilities.program, tried, options, (error, _stdout, stderr) => {
      if (error === null) return resolve(undefined);
      const isLate = error.killed === true;
      resolve(isLate ? LATE : stderr.trim() || error.message);
    });
  });
}

function reasonOf(failure: string): string {
  return `bwrap does not work here: ${failure.replace(/^bwrap: /, "").slice(0, 300)}`;
}

/** Ubuntu lets only named programs create user namespaces. */
function adviceOf(failure: string): { install?: string } {
  if (!/uid map|RTM_NEWADDR|Permission denied|Operation not permitted/.test(failure)) return {};
  if (readText("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() !== "1") return {};
  const profile = "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict";
  return {
    install: `sudo apt install apparmor-profiles && sudo ln -s ${profile} /etc/apparmor.d/ && sudo systemctl reload apparmor`,
  };
}

const INSTALLERS: readonly (readonly [RegExp, string])[] = [
  [/debian|ubuntu/, "sudo apt install bubblewrap"],
  [/fedora|rhel|centos/, "sudo dnf install bubblewrap"],
  [/arch/, "sudo pacman -S bubblewrap"],
  [/suse/, "sudo zypper install bubblewrap"],
  [/alpine/, "sudo apk add bubblewrap"],
  [/nixos/, "nix-env -iA nixos.bubblewrap"],
];

function installation(): { install?: string } {
  const system = [...readText("/etc/os-release").matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, value]) => value).join(" ");
  const install = INSTALLERS.find(([pattern]) => pattern.test(system))?.[1];
  return install === undefined ? {} : { install };
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
