/**
 * Tells whether the peer of a loopback connection is a program of the user or of a member.
 * Guarantee: `whyNotUsers` is undefined only if every holder of the connection is proven to be no descendant of a
 * member and no proxy. Everything that cannot be proven, on Linux or elsewhere, is a reason.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { endianness } from "node:os";
import { setImmediate } from "node:timers/promises";
import { parseStat } from "../list/procfs.ts";
import { MARKER_VARIABLE } from "./run-marker.ts";

export interface LoopbackConnection {
  readonly serverPort: number;
  readonly peerPort: number;
}

/** Undefined when the peer is a program of the user. */
export async function whyNotUsers(connection: LoopbackConnection): Promise<string | undefined> {
  if (process.platform !== "linux") return "this system does not report the requesting program";
  try {
    const { tcp, holders } = await identify(connection);
    if (holders.length === 0) return "the requesting program cannot be identified";
    for (const holder of holders) {
      const why = holder.pid === process.pid ? undefined : (whyPassedOn(holder, tcp) ?? whyInDoubt(holder.pid));
      if (why !== undefined) return why;
    }
    return undefined;
  } catch (error) {
    return `the requesting program cannot be examined (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** The kernel gives its table in pieces: while connections come and go, a row may be missing or come twice. */
const READS_MAX = 3;

async function identify(connection: LoopbackConnection): Promise<{ tcp: readonly TcpRow[]; holders: Holder[] }> {
  for (let read = 1; ; read += 1) {
    const tcp = readTcp();
    const inode = inodeOf(connection, tcp);
    const holders = inode === undefined ? [] : await holdersOf(inode);
    if (holders.length > 0 || read === READS_MAX) return { tcp, holders };
  }
}

interface TcpRow {
  readonly isLoopback: boolean;
  readonly localPort: number;
  readonly remotePort: number;
  readonly isListening: boolean;
  readonly isOpen: boolean;
  readonly inode: string;
}

/** 127.0.0.1 as printed by the kernel, plain and mapped into IPv6. */
const LOOPBACK = endianness() === "LE" ? "0100007F" : "7F000001";
const MAPPED = `0000000000000000${endianness() === "LE" ? "FFFF0000" : "0000FFFF"}${LOOPBACK}`;
const LOOPBACK_V6 = `000000000000000000000000${endianness() === "LE" ? "01000000" : "00000001"}`;
const [ESTABLISHED, LISTENING] = ["01", "0A"];

function readTcp(): TcpRow[] {
  return ["tcp", "tcp6"].flatMap((name) => readOrEmpty(`/proc/net/${name}`).split("\n").slice(1)).flatMap(parseTcp);
}

function parseTcp(line: string): TcpRow[] {
  const [, local = "", remote = "", state, , , , , , inode] = line.trim().split(/\s+/);
  const [localAddress = "", localPort] = local.split(":");
  const [remoteAddress = "", remotePort] = remote.split(":");
  if (localPort === undefined || remotePort === undefined || inode === undefined) return [];
  const isLoopback = [localAddress, remoteAddress].every((one) => [LOOPBACK, MAPPED, LOOPBACK_V6].includes(one));
  const ports = { localPort: Number.parseInt(localPort, 16), remotePort: Number.parseInt(remotePort, 16) };
  return [{ isLoopback, ...ports, isListening: state === LISTENING, isOpen: state === ESTABLISHED, inode }];
}

function inodeOf({ serverPort, peerPort }: LoopbackConnection, tcp: readonly TcpRow[]): string | undefined {
  const isIt = (row: TcpRow) => row.localPort === peerPort && row.remotePort === serverPort;
  const matches = tcp.filter((row) => row.isOpen && row.isLoopback && isIt(row));
  const [only] = matches;
  return matches.length === 1 && only?.inode !== "0" ? only?.inode : undefined;
}

interface Holder {
  readonly pid: number;
  /** Inodes of all its sockets. */
  readonly sockets: ReadonlySet<string>;
}

const PIDS_PER_SLICE = 50;

/** All processes that have the socket open, as far as we may see them. */
async function holdersOf(inode: string): Promise<Holder[]> {
  const holders: Holder[] = [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [at, pid] of pids.entries()) {
    if (at % PIDS_PER_SLICE === 0) await setImmediate();
    const sockets = socketsOf(Number(pid));
    if (sockets.has(inode)) holders.push({ pid: Number(pid), sockets });
  }
  return holders;
}

function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  const links = tryRead(() => readdirSync(folder), []).map((fd) => tryRead(() => readlinkSync(`${folder}/${fd}`), ""));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** A program that accepts connections may relay for others, as proxies do. */
function whyPassedOn({ sockets }: Holder, tcp: readonly TcpRow[]): string | undefined {
  const served = new Set(tcp.filter((row) => row.isListening).map((row) => row.localPort));
  const isServing = tcp.some((row) => {
    if (!sockets.has(row.inode)) return false;
    if (row.isListening) return true;
    return row.isOpen && row.isLoopback && (served.has(row.localPort) || !served.has(row.remotePort));
  });
  const why = "the requesting program accepts connections from other programs";
  return isServing || servesLocally(sockets) ? why : undefined;
}

const DATAGRAM = "0002";

/** Of the two ends of a local connection only the serving one has a name. */
function servesLocally(sockets: ReadonlySet<string>): boolean {
  const lines = readOrEmpty("/proc/net/unix").split("\n").slice(1);
  return lines.some((line) => {
    const [, , , , type, , inode = "", name] = line.trim().split(/\s+/);
    return name !== undefined && type !== DATAGRAM && sockets.has(inode);
  });
}

/** Programs that adopt orphans, so being their child proves nothing. */
const REAPERS: ReadonlySet<string> = new Set(["systemd", "init", "tini", "dumb-init", "docker-init", "catatonit"]);
const ORPHAN = "the requesting program, or one of its parents, was orphaned";

/** Walks from the process up to init. */
function whyInDoubt(holder: number): string | undefined {
  const namespace = readlinkSync("/proc/self/ns/pid");
  const host = processAt(process.pid);
  let below = processAt(holder);
  if (readMarked(holder) === undefined || tryRead(() => readlinkSync(`/proc/${holder}/ns/pid`), "") === "") {
    return "the requesting program cannot be examined";
  }
  for (let at = below; ; at = processAt(at.ppid)) {
    if (at.pid === process.pid) return "it was started by Roundtable";
    if (at.pid === 1 || (at.ppid <= 1 && REAPERS.has(at.name))) {
      const isEarlier = below.start < host.start;
      return isEarlier || isRootOwned(below.pid) || isOwnApp(below.pid) ? undefined : ORPHAN;
    }
    // Unreadable processes belong to the system (a login) or hide themselves; the walk continues above them.
    const isElsewhere = tryRead(() => readlinkSync(`/proc/${at.pid}/ns/pid`), namespace) !== namespace;
    if (isElsewhere || readMarked(at.pid) === true) return "it was started by a member";
    // Its parent is outside this container, where no member runs.
    if (at.ppid === 0) return undefined;
    below = at;
  }
}

interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly start: number;
  readonly name: string;
}

/** Throws when it has exited. */
function processAt(pid: number): ProcessFacts {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const row = parseStat(pid, stat);
  if (row === undefined) throw new Error(`process ${pid} has ended`);
  return { ...row, name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")) };
}

/** Whether it carries a member's run marker; undefined when its environment is not readable. */
function readMarked(pid: number): boolean | undefined {
  return tryRead(
    () =>
      readFileSync(`/proc/${pid}/environ`, "latin1")
        .split("\0")
        .some((one) => one.startsWith(`${MARKER_VARIABLE}=`)),
    undefined,
  );
}

/** A system process, such as a login, which no member can have started. */
function isRootOwned(pid: number): boolean {
  const [, uid] = /^Uid:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/status`)) ?? [];
  return uid === "0" && process.getuid?.() !== 0;
}

/** Desktops start each application in a control group of its own; children of members stay in ours. */
function isOwnApp(pid: number): boolean {
  const group = readOrEmpty(`/proc/${pid}/cgroup`).trim();
  return /\/app-[^/]+\.(?:scope|service)$/m.test(group) && group !== readOrEmpty("/proc/self/cgroup").trim();
}

function readOrEmpty(path: string): string {
  return tryRead(() => readFileSync(path, "latin1"), "");
}

/** Processes exit while they are read, and those of other users are not accessible. */
function tryRead<Value, Nothing>(read: () => Value, nothing: Nothing): Value | Nothing {
  try {
    return read();
  } catch {
    return nothing;
  }
}
