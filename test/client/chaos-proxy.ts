/**
 * A proxy on loopback, between a client and a local socket or a server, that does to each connection what its script
 * says: cut or reset it at a byte, stall, go half open, trickle, or swallow what comes before a pause. What it forwards
 * it forwards unchanged and in order, except that a request's Host header is made the server's own.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export type Direction = "up" | "down";
export const faultKinds = ["cut", "reset", "stall", "half-open", "trickle", "swallow"] as const;

export interface Fault {
  readonly kind: (typeof faultKinds)[number];
  readonly direction: Direction;
  /** How much passes in that direction before the fault. */
  readonly afterBytes: number;
  /** How much trickles through, byte by byte, before the end. */
  readonly trickleBytes: number;
  /** How long a stall takes, or a connection lingers whose bytes are swallowed. */
  readonly pauseMs: number;
  /** Waits for its byte however long that takes; without a word a fault whose byte does not come happens soon. */
  readonly isPatient?: boolean;
}

/** A path of a local socket, or a port of 127.0.0.1. */
export type Target = string | number;

export interface ChaosProxyOptions {
  /** A path to listen on, or 0 for any port. */
  readonly listenAt: Target;
  /** Asked for every connection: a host that was started again is somewhere else. */
  readonly target: () => Target;
  /** For a server whose guard lets nobody in who calls it by another name. */
  readonly renamesHost?: boolean;
  /** Asked for every connection; undefined lets it pass. */
  readonly nextFault?: () => Fault | undefined;
}

/** A fault whose byte never comes happens now. */
const FAULT_MS_MAX = 300;

export class ChaosProxy {
  /** Faults that have happened. */
  faults = 0;
  /** While set, what the host says vanishes, on connections old and new. */
  isDownLost = false;
  readonly #options: ChaosProxyOptions;
  readonly #server: Server;
  readonly #passages = new Set<Passage>();
  /** Of connections that ended by themselves before their fault; the next ones get them, or they would never happen. */
  readonly #unused: Fault[] = [];

  static async open(options: ChaosProxyOptions): Promise<ChaosProxy> {
    const proxy = new ChaosProxy(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    proxy.#server.once("error", reject);
    if (typeof options.listenAt === "string") proxy.#server.listen(options.listenAt, resolve);
    else proxy.#server.listen(options.listenAt, "127.0.0.1", resolve);
    await promise;
    return proxy;
  }

  constructor(options: ChaosProxyOptions) {
    this.#options = options;
    this.#server = createServer({ pauseOnConnect: true }, (near) => this.#take(near));
  }

  get target(): Target {
    const address = this.#server.address() as AddressInfo | string;
    return typeof address === "string" ? address : address.port;
  }

  get connections(): number {
    return this.#passages.size;
  }

  cutAll(): void {
    for (const passage of this.#passages) passage.end();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutAll();
    await closed;
  }

  #take(near: Socket): void {
    const target = this.#options.target();
    const far = typeof target === "string" ? connect(target) : connect(target, "127.0.0.1");
    const passage = new Passage({
      near,
      far,
      fault: this.#unused.pop() ?? this.#options.nextFault?.(),
      head: this.#options.renamesHost ? { from: `127.0.0.1:${this.target}`, to: `127.0.0.1:${target}` } : undefined,
      isDownLost: () => this.isDownLost,
      onFault: () => (this.faults += 1),
      onUnused: (fault) => this.#unused.push(fault),
      onEnd: () => this.#passages.delete(passage),
    });
    this.#passages.add(passage);
  }
}

interface PassageOptions {
  readonly near: Socket;
  readonly far: Socket;
  readonly fault: Fault | undefined;
  readonly head: { from: string; to: string } | undefined;
  readonly isDownLost: () => boolean;
  readonly onFault: () => void;
  readonly onUnused: (fault: Fault) => void;
  readonly onEnd: () => void;
}

type Forward = (chunk: Buffer) => void;

/** One connection through the proxy. */
class Passage {
  readonly #options: PassageOptions;
  readonly #timers: NodeJS.Timeout[] = [];
  #isOver = false;
  #hasFailed = false;

  constructor(options: PassageOptions) {
    this.#options = options;
    const { near, far, fault, head } = options;
    for (const socket of [near, far]) {
      socket.on("error", () => this.end());
      socket.on("close", () => this.end());
    }
    const down: Forward = (chunk) => void (options.isDownLost() || near.write(chunk));
    const up: Forward = (chunk) => void far.write(chunk);
    const renamed = head === undefined ? up : renameHost(head, up);
    near.on("data", fault?.direction === "up" ? this.#failing(fault, far, renamed) : renamed);
    far.on("data", fault?.direction === "down" ? this.#failing(fault, near, down) : down);
    near.resume();
  }

  end({ isReset = false } = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { fault } = this.#options;
    if (fault !== undefined && !this.#hasFailed) this.#options.onUnused(fault);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of [this.#options.near, this.#options.far]) {
      // Only TCP knows a reset.
      if (isReset && socket.remoteAddress !== undefined) socket.resetAndDestroy();
      else socket.destroy();
    }
    this.#options.onEnd();
  }

  /** Forwards up to the byte, then does what the fault says with everything after it. */
  #failing(fault: Fault, to: Socket, forward: Forward): Forward {
    let passed = 0;
    let rest: Forward | undefined;
    const begin = (): Forward => {
      this.#hasFailed = true;
      this.#options.onFault();
      return (rest = this.#begin(fault, to, forward));
    };
    if (fault.isPatient !== true) this.#after(FAULT_MS_MAX, () => rest ?? begin());
    return (chunk) => {
      if (rest !== undefined) return rest(chunk);
      const before = chunk.subarray(0, fault.afterBytes - passed);
      passed += before.length;
      if (before.length > 0) forward(before);
      if (passed < fault.afterBytes) return undefined;
      return begin()(chunk.subarray(before.length));
    };
  }

  #begin(fault: Fault, to: Socket, forward: Forward): Forward {
    const drop: Forward = () => {};
    switch (fault.kind) {
      case "cut":
        // What was forwarded has to leave this process before the socket does.
        to.write("", () => this.end());
        return drop;
      case "reset":
        to.write("", () => this.end({ isReset: true }));
        return drop;
      case "stall":
        return this.#stall(fault, forward);
      case "trickle":
        return this.#trickle(fault, forward);
      default:
        // The other direction works on until the end.
        this.#after(fault.pauseMs, () => this.end());
        return drop;
    }
  }

  #stall(fault: Fault, forward: Forward): Forward {
    const held: Buffer[] = [];
    let isStalled = true;
    this.#after(fault.pauseMs, () => {
      isStalled = false;
      for (const chunk of held) forward(chunk);
      this.#after(fault.pauseMs, () => this.end());
    });
    return (chunk) => (isStalled ? void held.push(chunk) : forward(chunk));
  }

  #trickle(fault: Fault, forward: Forward): Forward {
    let held = Buffer.alloc(0);
    let left = fault.trickleBytes;
    let isRunning = false;
    const step = (): void => {
      isRunning = held.length > 0 && !this.#isOver;
      if (!isRunning) return;
      if (left === 0) return this.end();
      left -= 1;
      forward(held.subarray(0, 1));
      held = held.subarray(1);
      setImmediate(step);
    };
    this.#after(FAULT_MS_MAX, () => this.end());
    return (chunk) => {
      held = Buffer.concat([held, chunk]);
      if (!isRunning) step();
    };
  }

  #after(ms: number, action: () => void): void {
    this.#timers.push(setTimeout(action, ms));
  }
}

function renameHost({ from, to }: { from: string; to: string }, forward: Forward): Forward {
  let head: Buffer | undefined = Buffer.alloc(0);
  return (chunk) => {
    if (head === undefined) return forward(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const text = head.subarray(0, end).toString("latin1").replaceAll(from, to);
    const whole = Buffer.concat([Buffer.from(text, "latin1"), head.subarray(end)]);
    head = undefined;
    return forward(whole);
  };
}

/** As many faults as asked for, then none. Bytes near the beginning come often: that is where the greeting is. */
export function createFaults(random: () => number, count: number): () => Fault | undefined {
  let left = count;
  return () => {
    if (left === 0) return undefined;
    left -= 1;
    const direction = random() < 0.3 ? "up" : "down";
    const bytesMax = direction === "up" || random() < 0.3 ? 700 : 200_000;
    const kind = faultKinds[Math.floor(random() * faultKinds.length)] ?? "cut";
    return {
      kind,
      direction,
      afterBytes: Math.floor(random() * bytesMax),
      trickleBytes: 1 + Math.floor(random() * 300),
      // Half open means that somebody has to notice by himself.
      pauseMs: kind === "half-open" ? 5_000 : 1 + Math.floor(random() * 60),
    };
  };
}
