/** Light, dark, or as the system has it. */
import type { Look } from "../store/kept.ts";

export function applyLook(look: Look): void {
  if (look === "auto") delete document.documentElement.dataset["look"];
  else document.documentElement.dataset["look"] = look;
}
