/** Pairing of another device from a terminal: what it may do, and how a link and a code are shown. */
import type { Command } from "commander";
import type { Scope } from "../../server/index.ts";
import { toDays } from "./option-values.ts";

export interface PairingFlags {
  /** Only read sessions. */
  readOnly?: boolean;
  /** Days after which it is signed out. */
  days?: number;
}

export function addPairingOptions(command: Command): Command {
  return command
    .option("--read-only", "the device may read sessions and change nothing")
    .option("--days <number>", "sign the device out after this many days", toDays);
}

/** Body of a request for a code. */
export function codeRequest({ readOnly = false, days }: PairingFlags): { scope?: Scope; days?: number } {
  return { ...(readOnly ? { scope: "read" } : {}), ...(days === undefined ? {} : { days }) };
}

/** With a QR code on a terminal. */
export async function showLink(link: string): Promise<string> {
  if (!process.stdout.isTTY) return `${link}\n`;
  const { qrCode } = await import("../terminal/qr-code.ts");
  return `\n${qrCode(link)}\n  ${link}\n\n`;
}
