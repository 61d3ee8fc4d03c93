/** How the conversation is shown. */
import { completeKeywords, refuseArguments } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";
import { nearNames } from "../near-names.ts";

export const raw: ScreenCommand = {
  name: "raw",
  usage: "/raw [on|off]",
  summary: "shows text as it was written, without borders, or drawn again",
  group: "view",
  complete: (_screen, prefix) => completeKeywords({ on: "as it was written", off: "drawn" }, prefix),
  run(screen, args) {
    if (args !== "" && args !== "on" && args !== "off") throw new UsageError(`"${args}" is neither on nor off.`);
    const isRaw = args === "" ? !screen.view.isRaw : args === "on";
    screen.setView({ isRaw });
    screen.notify(isRaw ? "Text is shown as it was written; /raw draws it again." : "Text is drawn again.");
  },
};

export const theme: ScreenCommand = {
  name: "theme",
  usage: "/theme [NAME]",
  summary: "shows the screen in other colours",
  group: "view",
  complete: (screen, prefix) =>
    screen.themes.filter((name) => name.startsWith(prefix)).map((name) => ({ value: name, label: name })),
  async run(screen, args) {
    const choices = screen.themes.map((name) => ({ label: name, value: name }));
    const at = Math.max(0, screen.themes.indexOf(screen.theme.name));
    const name = args === "" ? await screen.pick("Theme", choices, { at }) : args;
    if (name === undefined) return;
    if (!screen.themes.includes(name)) {
      const near = nearNames(name, screen.themes);
      const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `Themes: ${screen.themes.join(", ")}.`;
      throw new UsageError(`There is no theme "${name}". ${hint}`);
    }
    screen.setTheme(name);
    screen.notify(`The theme is ${name}.`);
  },
};

export const keys: ScreenCommand = {
  name: "keys",
  aliases: ["hotkeys", "keymap"],
  usage: "/keys",
  summary: "shows what the keys do",
  group: "program",
  run(screen, args) {
    refuseArguments(args);
    const longest = Math.max(0, ...screen.keys.map((key) => key.keys.length));
    screen.showText(
      "Keys",
      screen.keys.map((key) => `${key.keys.padEnd(longest)}  ${key.does}`),
    );
  },
};

export const settings: ScreenCommand = {
  name: "settings",
  aliases: ["config"],
  usage: "/settings",
  summary: "shows and changes what you can choose about the screen",
  group: "program",
  run(screen, args) {
    refuseArguments(args);
    screen.showSettings();
  },
};
