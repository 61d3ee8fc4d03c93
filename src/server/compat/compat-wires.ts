/** The wires of other systems that have HTTP or WebSocket as their carrier, by the names they are switched on with. */
import { createAssistantWire } from "./assistant/assistant-wire.ts";
import type { CompatDeps, CompatWire } from "./compat-wire.ts";
import { createLinggenWire } from "./linggen/linggen-wire.ts";

const wires: Readonly<Record<string, (deps: CompatDeps) => CompatWire>> = {
  "001": createLinggenWire,
  "004": createAssistantWire,
};

export const compatWireNames: readonly string[] = Object.keys(wires);

/** Throws for a name that is not one of `compatWireNames`. */
export function openCompatWires(names: readonly string[], deps: CompatDeps): CompatWire {
  const open = names.map((name) => {
    const create = wires[name];
    if (create === undefined) throw new Error(`there is no wire ${name}`);
    return create(deps);
  });
  return {
    routes: open.flatMap((wire) => wire.routes),
    close: () => open.forEach((wire) => wire.close()),
  };
}
