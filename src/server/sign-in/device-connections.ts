/** Requests and connections of signed-in devices, which end when their device is revoked. */
import type { EventEmitter } from "node:events";

export class DeviceConnections {
  readonly #ends = new Map<string, Set<() => void>>();

  get devices(): Iterable<string> {
    return this.#ends.keys();
  }

  endWith(id: string | undefined, carrier: EventEmitter, end: () => void): void {
    if (id === undefined) return;
    const all = this.#ends.get(id) ?? new Set();
    this.#ends.set(id, all.add(end));
    carrier.once("close", () => {
      all.delete(end);
      if (all.size === 0) this.#ends.delete(id);
    });
  }

  end(device: string): void {
    for (const end of this.#ends.get(device) ?? []) end();
  }
}
