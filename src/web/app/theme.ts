/** Light, dark, or as the system has it. */
import type { Theme } from "../store/local-storage.ts";

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["look"];
  else document.documentElement.dataset["look"] = theme;
}
