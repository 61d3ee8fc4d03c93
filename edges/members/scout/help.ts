/** What scout says of itself, with every test phrase. */
import { tryPhraseList } from "./try/phrases.ts";

export function helpText(): string {
  return `**I am scout**, a small rule-based member. I find the files and lines in this directory that have the words of your question. I ask no model, use no network, change nothing, and read nothing outside the directory.

Ask for example:

- *where is createServer defined*, *who calls parseConfig*
- *how does the login work*, *which files are about caching*
- *what is this project*, *how do I run the tests*
- *show src/main.ts*, and *more* for the next places
- words in quotes are searched as they stand: *"connection refused"*

A message while I search adds its words; one while I write is answered after.

To try every screen without a model, send one of these:

${tryPhraseList()}
`;
}
