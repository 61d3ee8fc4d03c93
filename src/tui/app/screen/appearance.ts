/** How the screen looks: the theme that was wanted on the background that the terminal has, and what is shown of messages. */
import { getCapabilities, type RgbColor } from "@earendil-works/pi-tui";
import type { ViewSettings } from "../../panels/panel.ts";
import { chooseTheme } from "../../theme/choose-theme.ts";
import type { Theme } from "../../theme/theme.ts";

export interface AppearanceOptions {
  readonly wanted: string;
  readonly view: ViewSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onTheme: (theme: Theme) => void;
  readonly onView: (view: ViewSettings) => void;
}

export class Appearance {
  theme: Theme;
  view: ViewSettings;
  readonly #options: AppearanceOptions;
  #wanted: string;
  #background: RgbColor | undefined;

  constructor(options: AppearanceOptions) {
    this.#options = options;
    this.view = options.view;
    this.#wanted = options.wanted;
    this.theme = this.#choose();
  }

  /** The terminal has said what it draws on. */
  setBackground(background: RgbColor): void {
    this.#background = background;
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
    return chooseTheme({
      wanted: this.#wanted,
      ...(this.#background === undefined ? {} : { background: this.#background }),
      env: this.#options.env,
      hasLinks: getCapabilities().hyperlinks,
    });
  }
}
