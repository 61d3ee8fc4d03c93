/**
 * System calls that no sandboxed program may make, as a seccomp filter: those of the kernel's keyrings. A process keeps
 * the session keyring of the login it was started from, and namespaces do not divide it: keys could be read and changed.
 */
import { randomUUID } from "node:crypto";
import { openSync, unlinkSync, writeSync } from "node:fs";
import { endianness, tmpdir } from "node:os";
import path from "node:path";
import { readText } from "./read-existing.ts";

/** By the kernel's number of the architecture: `add_key`, then come `request_key` and `keyctl`. */
const KEY_CALLS: readonly (readonly [architecture: number, first: number])[] = [
  [0xc000003e, 248],
  [0x40000003, 286],
  [0xc00000b7, 217],
  [0x40000028, 309],
  [0xc00000f3, 217],
  [0xc0000015, 269],
];
const COUNT = 3;

/** Instructions of the packet filter that the kernel runs: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, isTrue: number, isFalse: number, operand: number];

const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000];
/** "Operation not permitted". */
const REFUSE: Instruction = [RETURN, 0, 0, 0x00050001];
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
/** The calls of x32 are those of x86-64 with this bit. */
const WITHOUT_X32 = 0xbfffffff;

function callFilter(): Buffer {
  const rows = KEY_CALLS.flatMap(([architecture, first]): Instruction[] => [
    [IF_EQUAL, 0, 6, architecture],
    [LOAD, 0, 0, NUMBER_AT],
    [AND, 0, 0, WITHOUT_X32],
    [IF_AT_LEAST, 0, 2, first],
    [IF_AT_LEAST, 1, 0, first + COUNT],
    REFUSE,
    ALLOW,
  ]);
  const program = [[LOAD, 0, 0, ARCHITECTURE_AT] as const, ...rows, ALLOW];
  const bytes = Buffer.alloc(8 * program.length);
  for (const [at, [code, isTrue, isFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * at);
    bytes.writeUInt8(isTrue, 8 * at + 2);
    bytes.writeUInt8(isFalse, 8 * at + 3);
    bytes.writeUInt32LE(operand, 8 * at + 4);
  }
  return bytes;
}

/** A descriptor to read the filter from once; undefined where the kernel has no filters. */
export function openCallFilter(): number | undefined {
  // A kernel without them has no such line.
  if (endianness() === "BE" || !/^Seccomp:/m.test(readText("/proc/self/status"))) return undefined;
  const descriptor = nameless();
  const bytes = callFilter();
  // At a position, so that reading begins at the start.
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  return descriptor;
}

/** A file that only its descriptor leads to. */
function nameless(): number {
  const name = `roundtable-${randomUUID()}`;
  let file = path.join(tmpdir(), name);
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx+", 0o600);
  } catch {
    // TMPDIR may be missing.
    file = path.join("/dev/shm", name);
    descriptor = openSync(file, "wx+", 0o600);
  }
  unlinkSync(file);
  return descriptor;
}
