/**
 * Clients of fan-out.ts, in a process of their own. Raw sockets that parse only the first and the last event of what
 * they read, so that they are not the bottleneck; one in fifty checks every seq.
 */
import { connect } from "node:net";
import { percentile } from "./product.ts";

export interface Target {
  readonly port: number;
  readonly head: string;
  /** Sent as WebSocket messages after the handshake. */
  readonly frames: readonly string[];
}

export type Order =
  | { readonly do: "open"; readonly target: Target; readonly count: number; readonly reads: boolean }
  | { readonly do: "count" }
  | { readonly do: "report" };

export interface Counted {
  readonly delivered: number;
  /** Missing or repeated seqs. */
  readonly faults: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const NEEDLE = Buffer.from('{"seq":');
/** Longer than a needle and its number. */
const EDGE_BYTES = 32;
const READ_BYTES = 256 * 1024;
const CHECKED_ONE_IN = 50;

const shared = Buffer.alloc(READ_BYTES);
const latencies: number[] = [];
let delivered = 0;
let faults = 0;
let isCounting = false;

class Reader {
  #last = 0;
  #edge = "";
  readonly #checksAll: boolean;

  constructor(checksAll: boolean) {
    this.#checksAll = checksAll;
  }

  take(bytes: Buffer): void {
    const first = this.#seam(bytes) ?? numberAt(bytes, bytes.indexOf(NEEDLE));
    if (this.#last > 0 && first !== undefined && first !== this.#last + 1) faults += 1;
    if (this.#checksAll) this.#check(bytes);
    const before = this.#last;
    this.#last = lastSeq(bytes) ?? first ?? this.#last;
    if (isCounting && before > 0) delivered += this.#last - before;
    this.#edge = bytes.toString("latin1", Math.max(0, bytes.length - EDGE_BYTES));
    if (!isCounting) return;
    const stamp = /"ts":(\d+)/.exec(bytes.toString("latin1", 0, 600))?.[1];
    if (stamp !== undefined) latencies.push(Date.now() - Number(stamp));
  }

  /** An event that was split between two reads. */
  #seam(bytes: Buffer): number | undefined {
    const text = this.#edge + bytes.toString("latin1", 0, EDGE_BYTES);
    const found = /\{"seq":(\d+),/g.exec(text.slice(Math.max(0, text.lastIndexOf('{"seq":', this.#edge.length - 1))));
    const at = found === null ? -1 : text.lastIndexOf(found[0]);
    if (found === null || at >= this.#edge.length || at + found[0].length <= this.#edge.length) return undefined;
    return Number(found[1]);
  }

  #check(bytes: Buffer): void {
    let previous: number | undefined;
    for (let at = bytes.indexOf(NEEDLE); at !== -1; at = bytes.indexOf(NEEDLE, at + NEEDLE.length)) {
      const seq = numberAt(bytes, at);
      if (previous !== undefined && seq !== undefined && seq !== previous + 1) faults += 1;
      previous = seq;
    }
  }
}

function lastSeq(bytes: Buffer): number | undefined {
  for (let at = bytes.lastIndexOf(NEEDLE); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(NEEDLE, at - 1)) {
    const seq = numberAt(bytes, at);
    if (seq !== undefined) return seq;
  }
  return undefined;
}

/** Undefined when the number is incomplete. */
function numberAt(bytes: Buffer, at: number): number | undefined {
  if (at < 0) return undefined;
  const found = /^(\d+),/.exec(bytes.toString("latin1", at + NEEDLE.length, at + EDGE_BYTES));
  return found === null ? undefined : Number(found[1]);
}

function open({ port, head, frames }: Target, reads: boolean, checksAll: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reader = new Reader(checksAll);
  let isOpen = false;
  const socket = connect({
    port,
    host: "127.0.0.1",
    onread: {
      buffer: shared,
      callback(length) {
        if (isOpen) reader.take(shared.subarray(0, length));
        else {
          isOpen = true;
          for (const frame of frames) socket.write(maskedFrame(frame));
          if (!reads) socket.pause();
          resolve();
        }
        return true;
      },
    },
  });
  // The server may end first.
  socket.on("error", () => {});
  socket.write(head);
  return promise;
}

/** Masked by zeros. */
export function maskedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}

async function obey(order: Order): Promise<object> {
  if (order.do === "open") {
    const opened = Array.from({ length: order.count }, (_, at) =>
      open(order.target, order.reads, at % CHECKED_ONE_IN === 0),
    );
    await Promise.all(opened);
    return {};
  }
  if (order.do === "count") {
    isCounting = true;
    return {};
  }
  isCounting = false;
  const sorted = latencies.toSorted((a, b) => a - b);
  const counted = { delivered, faults, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
  latencies.length = 0;
  delivered = 0;
  return counted satisfies Counted;
}

if (import.meta.main) {
  process.on("message", (order: Order) => void obey(order).then((answer) => process.send?.(answer)));
  process.on("disconnect", () => process.exit(0));
}
