/** Theme switch: light, dark, or as the system. */
import { useState } from "react";
import { readTheme, storeTheme, type Theme } from "../store/local-storage.ts";

const THEMES: readonly { theme: Theme; label: string }[] = [
  { theme: "auto", label: "System" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];

/** As in index.html. */
const DARK_FRAME = "#131417";

export function ThemeSwitch() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <select
      aria-label="Theme"
      value={theme}
      onChange={({ target }) => {
        const next = THEMES.find((one) => one.theme === target.value)?.theme ?? "auto";
        setTheme(next);
        storeTheme(next);
        applyTheme(next);
      }}
    >
      {THEMES.map((one) => (
        <option key={one.theme} value={one.theme}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  // The frame of the window: one colour for each look.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const scheme = meta.content === DARK_FRAME ? "dark" : "light";
    meta.media = theme === "auto" ? `(prefers-color-scheme: ${scheme})` : theme === scheme ? "all" : "not all";
  }
}
