/** The user's display settings: applied at once and stored for the next start. */
import { getCapabilities, type RgbColor } from "@earendil-works/pi-tui";
import type { ViewSettings } from "../../panels/panel.ts";
import { chooseTheme } from "../../theme/choose-theme.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ScreenOptions } from "../options.ts";
import { readScreenSettings, type ScreenSettings, type SettingName, viewOf } from "./settings.ts";

export interface PreferencesOptions extends Pick<ScreenOptions, "env" | "theme" | "settingsFile" | "saveSetting"> {
  readonly onTheme: (theme: Theme) => void;
  readonly onView: (view: ViewSettings) => void;
  /** A setting that is neither theme nor view. */
  readonly onSetting: (settings: ScreenSettings) => void;
  readonly onError: (error: unknown) => void;
}

/** What the terminal says about itself. */
export interface TerminalFacts {
  readonly background: RgbColor;
  /** Of the sixteen colours, the one that is unreadable in many palettes. */
  readonly brightBlue: RgbColor;
  /** Glyphs of the screen take two columns, or bytes instead of characters are drawn. */
  readonly hasWideGlyphs: boolean;
}

export class Preferences {
  /** Errors in the settings file. */
  readonly problems: readonly string[];
  readonly #options: PreferencesOptions;
  readonly #appearance: Appearance;
  #settings: ScreenSettings;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(options: PreferencesOptions) {
    this.#options = options;
    const { settings, problems } = readScreenSettings(options.settingsFile);
    this.problems = problems;
    this.#settings = settings;
    this.#appearance = new Appearance({
      wanted: options.theme ?? settings.theme,
      hasMotion: settings.motion === "on",
      view: viewOf(settings),
      env: options.env,
      onTheme: options.onTheme,
      onView: options.onView,
    });
  }

  get theme(): Theme {
    return this.#appearance.theme;
  }

  get view(): ViewSettings {
    return this.#appearance.view;
  }

  get settings(): ScreenSettings {
    return this.#settings;
  }

  setTerminalFacts(facts: Partial<TerminalFacts>): void {
    this.#appearance.setTerminalFacts(facts);
  }

  /** Until the screen closes. */
  setView(change: Partial<ViewSettings>): void {
    this.#appearance.setView(change);
    const { thinking, isExpanded, hasTimes, isRaw } = this.view;
    this.#settings = { ...this.#settings, thinking, expanded: isExpanded, times: hasTimes, raw: isRaw };
  }

  /** Applied at once and stored. */
  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void {
    const { onSetting, onError, saveSetting } = this.#options;
    this.#settings = { ...this.#settings, [name]: value };
    if (name === "theme") this.#appearance.setTheme(this.#settings.theme);
    else if (name === "motion") this.#appearance.setMotion(this.#settings.motion === "on");
    else {
      onSetting(this.#settings);
      this.#appearance.setView(viewOf(this.#settings));
    }
    this.#saving = Promise.all([this.#saving, saveSetting(name, value).catch(onError)]);
  }

  /** Resolves when settings are saved or the error was shown. */
  async flush(): Promise<void> {
    await this.#saving;
  }
}

/** Theme, chosen for the terminal's background, and view of messages. */
interface AppearanceOptions {
  readonly wanted: string;
  readonly hasMotion: boolean;
  readonly view: ViewSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onTheme: (theme: Theme) => void;
  readonly onView: (view: ViewSettings) => void;
}

class Appearance {
  theme: Theme;
  view: ViewSettings;
  readonly #options: AppearanceOptions;
  #wanted: string;
  #hasMotion: boolean;
  #terminal: Partial<TerminalFacts> = {};

  constructor(options: AppearanceOptions) {
    this.#options = options;
    this.view = options.view;
    this.#wanted = options.wanted;
    this.#hasMotion = options.hasMotion;
    this.theme = this.#choose();
  }

  setTerminalFacts(facts: Partial<TerminalFacts>): void {
    this.#terminal = { ...this.#terminal, ...facts };
    this.#change();
  }

  setMotion(hasMotion: boolean): void {
    this.#hasMotion = hasMotion;
    this.#change();
  }

  setTheme(name: string): void {
    this.#wanted = name;
    this.#change();
  }

  setView(change: Partial<ViewSettings>): void {
    this.view = { ...this.view, ...change };
    this.#options.onView(this.view);
  }

  #change(): void {
    this.theme = this.#choose();
    this.#options.onTheme(this.theme);
  }

  #choose(): Theme {
    const { env } = this.#options;
    return chooseTheme({
      wanted: this.#wanted,
      ...this.#terminal,
      env,
      hasLinks: getCapabilities().hyperlinks,
      hasMotion: this.#hasMotion && !wantsStillness(env),
    });
  }
}

/** Set and not empty, as for NO_COLOR. */
function wantsStillness(env: Readonly<Record<string, string | undefined>>): boolean {
  return ["NO_MOTION", "REDUCE_MOTION"].some((name) => (env[name] ?? "") !== "");
}
