/** What the user chose about the screen, here or before: it takes effect at once and is kept for the next start. */
import type { RgbColor } from "@earendil-works/pi-tui";
import type { ViewSettings } from "../../panels/panel.ts";
import type { Theme } from "../../theme/theme.ts";
import { Appearance } from "./appearance.ts";
import type { ScreenOptions } from "../options.ts";
import { readScreenSettings, viewOf, type ScreenSettings, type SettingName } from "./settings.ts";

export interface PreferencesOptions extends Pick<ScreenOptions, "env" | "theme" | "settingsFile" | "saveSetting"> {
  readonly onTheme: (theme: Theme) => void;
  readonly onView: (view: ViewSettings) => void;
  /** A setting that is neither theme nor view. */
  readonly onSetting: (settings: ScreenSettings) => void;
  readonly onError: (error: unknown) => void;
}

export class Preferences {
  /** What is wrong with the file. */
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

  /** The terminal has said what it draws on. */
  setBackground(background: RgbColor): void {
    this.#appearance.setBackground(background);
  }

  /** For this sitting. */
  setView(change: Partial<ViewSettings>): void {
    this.#appearance.setView(change);
    const { thinking, isExpanded, hasTimes, isRaw } = this.view;
    this.#settings = { ...this.#settings, thinking, expanded: isExpanded, times: hasTimes, raw: isRaw };
  }

  /** Takes effect at once and holds for the next start too. */
  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void {
    const { onSetting, onError, saveSetting } = this.#options;
    this.#settings = { ...this.#settings, [name]: value };
    if (name === "theme") this.#appearance.setTheme(this.#settings.theme);
    else onSetting(this.#settings);
    this.#appearance.setView(viewOf(this.#settings));
    this.#saving = Promise.all([this.#saving, saveSetting(name, value).catch(onError)]);
  }

  /** Resolves when all that was chosen is kept, or told to be impossible. */
  async flush(): Promise<void> {
    await this.#saving;
  }
}
