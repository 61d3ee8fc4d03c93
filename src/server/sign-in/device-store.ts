/**
 * Browsers that have signed in once, each known by its public key, and the key pair by which this server proves that it is
 * the one they signed in to. Kept in `devices.json` of the data directory; without a path they last as long as the server.
 */
import * as z from "zod";
import { newId } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { createJsonStore } from "../compat/json-store.ts";
import { checkKey, DeviceKey, newServerKey, ServerKey } from "./keys.ts";

export const DEVICES_FILE = "devices.json";

/** More are refused: nobody uses that many, and a list of them could not be checked by eye. */
const DEVICES_MAX = 100;
const NAME_CHARS_MAX = 100;

export const DeviceName = z.string().trim().min(1).max(NAME_CHARS_MAX);

const Device = z.object({
  id: z.string(),
  name: DeviceName,
  /** Where it signed in. Whoever takes over another address has another origin, and there the device is unknown. */
  origin: z.string(),
  key: DeviceKey,
  createdTs: z.number(),
  usedTs: z.number(),
  /** "manage" when absent. */
  scope: z.enum(["read", "use", "manage"]).optional(),
  /** By the clock of this machine; it is unknown from then on. */
  expiresTs: z.number().optional(),
});
export type Device = z.infer<typeof Device>;

const Devices = z.object({ format: z.literal(1), serverKey: ServerKey.optional(), devices: z.array(Device) });

type NewDevice = Omit<Device, "id" | "createdTs" | "usedTs">;

export interface DeviceStore {
  list(): Promise<readonly Device[]>;
  find(id: string): Promise<Device | undefined>;
  /** Rejects with "bad_command" for a key that is not on the curve, and with "too_large" when there are too many. */
  add(device: NewDevice, nowTs: number): Promise<Device>;
  /** Notes when it was used last. */
  use(id: string, nowTs: number): Promise<void>;
  /** False when there is no such device. */
  remove(id: string): Promise<boolean>;
  /** The server's own key pair, created at first use. */
  serverKey(): Promise<ServerKey>;
}

export function createDeviceStore(path: string | undefined): DeviceStore {
  const store = createJsonStore({ path, schema: Devices, initial: { format: 1, devices: [] } });
  return {
    list: async () => (await store.read()).devices,
    find: async (id) => (await store.read()).devices.find((device) => device.id === id),
    async add(given, nowTs) {
      checkKey(given.key);
      return await store.change((value) => {
        value.devices = value.devices.filter(({ expiresTs = Infinity }) => expiresTs > nowTs);
        const { devices } = value;
        if (devices.length >= DEVICES_MAX)
          throw new RoundtableError("too_large", `${DEVICES_MAX} devices are already signed in.`, {
            hint: "Revoke one that you no longer use: roundtable devices revoke NAME",
          });
        const device = { ...given, id: newId(), createdTs: nowTs, usedTs: nowTs };
        devices.push(device);
        return device;
      });
    },
    async use(id, nowTs) {
      await store.change(({ devices }) => {
        const device = devices.find((one) => one.id === id);
        if (device !== undefined) device.usedTs = nowTs;
      });
    },
    remove: async (id) =>
      await store.change((value) => {
        const left = value.devices.filter((device) => device.id !== id);
        const isGone = left.length < value.devices.length;
        value.devices = left;
        return isGone;
      }),
    async serverKey() {
      const known = (await store.read()).serverKey;
      if (known !== undefined) return known;
      return await store.change((value) => (value.serverKey ??= newServerKey()));
    },
  };
}
