/** Finding something again: in any session, or in the one that is shown. */
import type { ScreenCommand } from "../command.ts";

export const search: ScreenCommand = {
  name: "search",
  usage: "/search [WORDS]",
  summary: "finds what was said and done in any session, and goes there",
  group: "session",
  run: (screen, args) => screen.showSearch(args),
};

export const find: ScreenCommand = {
  name: "find",
  usage: "/find [TEXT]",
  summary: "finds text in the conversation; without text the search ends",
  group: "view",
  run(screen, args) {
    if (args === "") {
      screen.log.endSearch();
      return screen.notify("The search has ended.");
    }
    screen.log.search(args);
    const state = screen.log.searchState;
    const more =
      state !== undefined && state.pagesLeft > 0 ? `, ${state.pagesLeft} older pages are still looked at` : "";
    const count = state?.count ?? 0;
    screen.notify(`"${args}": ${count === 0 ? "no match" : `${count} ${count === 1 ? "match" : "matches"}`}${more}.`);
  },
};
